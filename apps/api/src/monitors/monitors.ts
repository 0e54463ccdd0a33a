import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { MonitorDetails, MonitorSettings } from '@ledgerline/contracts/events/monitor.events';
import type { Monitor } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/changes';
import { monitor, plainMonitor, type MonitorCommand } from '@ledgerline/domain/monitors/monitor.decider';
import type { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { monitorStream } from '@ledgerline/platform/event-store/streams';
import { isPublicAddress } from '@ledgerline/platform/outbound/guarded-agent';
import { SealedValues, type SealedValue, type ValueOwner } from '@ledgerline/platform/personal-data/sealed-values';
import { SubjectKeys } from '@ledgerline/platform/personal-data/subject-keys';
import { Inject, Injectable } from '@nestjs/common';
import type { StartedCommand } from '../commands/idempotency-store';
import { invalid } from '../http/problems';
import { recordOf, type Plain } from '../http/record.dto';
import { decision, type Decision, type Resource } from '../resources/resource';
import { SETTINGS } from '../tokens';
import type { MonitorDto, MonitorHeaders } from './monitor.dto';

/** A monitor with its headers in the clear. */
type OpenMonitor = Omit<MonitorDetails, keyof SealedHeaders> & { readonly headers: MonitorHeaders };
type SealedHeaders = Pick<MonitorSettings, 'headerNames' | 'sealedHeaders'>;
type Changes = Partial<OpenMonitor>;

@Injectable()
export class Monitors implements Resource<Monitor, OpenMonitor, Plain<MonitorDto>> {
  static readonly commands = ['CreateMonitor', 'UpdateMonitor', 'DeleteMonitor'] as const;
  readonly noun = 'Monitor';
  readonly idPrefix = 'mon';
  readonly reads = 'monitors:read';
  readonly writes = 'monitors:write';
  readonly defaults = { ...omit(plainMonitor, 'headerNames', 'sealedHeaders'), headers: {} };
  /** Encrypted for events; those that are no longer in force are made unreadable. */
  private readonly values: SealedValues<MonitorHeaders>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    keys: SubjectKeys,
  ) {
    this.values = new SealedValues(keys);
  }

  entry(registry: () => Registry, id: string): Monitor | undefined {
    return registry().monitor(id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Monitor[] {
    return registry.monitorsOf(organizationId);
  }

  /** Refuses what each check would refuse, as far as that is certain without resolving names. */
  check({ url }: Changes): void {
    if (url === undefined || this.settings.monitorAllowPrivate) return;
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    const isPrivate = isIP(host) > 0 ? !isPublicAddress(host) : /(^|\.)localhost\.?$/.test(host);
    if (isPrivate) throw invalid([{ field: 'url', message: 'url must lead to a public address' }]);
  }

  async create({ headers, ...input }: OpenMonitor, { id }: StartedCommand): Promise<Decision> {
    const owner = { organizationId: input.organizationId, id };
    const data = { ...input, ...(await this.sealed(owner, headers)), monitorId: id };
    return decided(owner, { type: 'CreateMonitor', data });
  }

  async update({ headers, ...changes }: Changes, current: Monitor): Promise<Decision> {
    const isSame = !headers || (await this.isSame(current, headers));
    const sealed = isSame ? {} : await this.sealed(current, headers);
    return decided(current, { type: 'UpdateMonitor', data: { changes: { ...changes, ...sealed } } });
  }

  delete(current: Monitor): Decision {
    return decided(current, { type: 'DeleteMonitor', data: {} });
  }

  /** Leaves of a stream the headers of the monitor as it is, also of an update that did not get here. */
  async stored(changes: Changes | null, after: Monitor | null, history: readonly Recorded[]): Promise<void> {
    if (changes && !changes.headers) return;
    await this.values.destroy(history.flatMap(sealedIn).filter(({ sealed }) => sealed !== after?.sealedHeaders));
  }

  records(monitors: readonly Monitor[]): readonly Plain<MonitorDto>[] {
    return monitors.map((each) => recordOf(omit(each, 'sealedHeaders')));
  }

  private async sealed(owner: ValueOwner, headers: MonitorHeaders): Promise<SealedHeaders> {
    const headerNames = Object.keys(headers).sort();
    return { headerNames, sealedHeaders: headerNames.length === 0 ? null : await this.values.seal(owner, headers) };
  }

  /** Headers are encrypted anew each time, so those that stay the same are no change. */
  private async isSame(current: Monitor, headers: MonitorHeaders): Promise<boolean> {
    const sealed = sealedOf(current);
    const opened = sealed.sealed === null ? {} : (await this.values.open([sealed])).get(sealed.sealed);
    return isDeepStrictEqual(opened, headers);
  }
}

const decided = ({ organizationId, id }: ValueOwner, command: MonitorCommand): Decision =>
  decision(monitor, monitorStream(organizationId, id), command);

const sealedOf = ({ organizationId, id, sealedHeaders }: ValueOwner & MonitorDetails): SealedValue => ({
  organizationId,
  id,
  sealed: sealedHeaders,
});

const sealedIn = (event: Recorded): readonly SealedValue[] =>
  event.type === 'MonitorCreated' || event.type === 'MonitorUpdated'
    ? [sealedOf({ ...omit(event.data, 'monitorId'), id: event.data.monitorId })]
    : [];
