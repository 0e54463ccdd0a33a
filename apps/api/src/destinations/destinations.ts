import { isIP } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { DestinationDetails } from '@ledgerline/contracts/events/destination.events';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { Destination } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { plainDestination } from '@ledgerline/domain/destinations/destination.decider';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { type WebhookTarget, isAllowedTarget, isOwnHost, rotated } from '@ledgerline/platform/outbound/webhook';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { SealedValues, type ValueOwner } from '@ledgerline/platform/personal-data/sealed-values';
import type { StartedCommand } from '../commands/command-context';
import { conflict, invalid } from '../http/problems';
import type { Plain } from '../http/record.dto';
import type { HeaderValues } from '../http/sent-headers';
import { OfSharedStream, historyOf } from '../resources/resource';
import { EVENT_STORE, SETTINGS } from '../tokens';
import { DeliveryLog } from './delivery-log';
import type { DestinationDto } from './destination.dto';

/** A destination as requests state it. */
type OpenDestination = Omit<DestinationDetails, 'origin' | 'headerNames' | 'sealed' | 'begin'> & {
  readonly url: string;
  readonly headers: HeaderValues;
  readonly begin: number | 'now';
};
type Changes = Partial<OpenDestination>;

/** Address, headers and secrets are one encrypted value, in events and tables; those of before are made unreadable. */
@Injectable()
export class Destinations extends OfSharedStream<Destination, OpenDestination, Plain<DestinationDto>> {
  readonly kind = 'destinations';
  readonly defaults = { ...plainDestination, headers: {}, begin: 'now' };
  private readonly values: SealedValues<WebhookTarget>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly log: DeliveryLog,
    keys: SubjectKeys,
  ) {
    super();
    this.values = new SealedValues(keys);
  }

  /** Refuses what each try would refuse, as far as that is certain without resolving names, and a place that is none. */
  override async check(
    { url, begin, kind, format, organizationId }: Changes,
    _: Caller,
    current?: Destination,
  ): Promise<void> {
    if (url !== undefined) this.checkAddress(new URL(url));
    if (kind === 'audit' && format !== undefined && format !== plainDestination.format)
      throw invalid([{ field: 'format', message: 'format belongs to a webhook' }]);
    if (current || begin === undefined || begin === 'now') return;
    if (kind !== 'audit') throw invalid([{ field: 'begin', message: 'begin belongs to an audit stream' }]);
    if (begin > (await this.nextPlace(organizationId ?? '')))
      throw invalid([{ field: 'begin', message: 'begin must not lie after the next entry of the audit log' }]);
  }

  /** Where messages go, with what signs them. @throws Problem CONFLICT where it cannot be decrypted any more */
  async target({ organizationId, id, sealed }: Destination): Promise<WebhookTarget> {
    const target = (await this.values.open([{ organizationId, id, sealed }])).get(sealed);
    if (!target) throw conflict('The address of this destination cannot be decrypted; set it again');
    return target;
  }

  override async records(destinations: readonly Destination[]): Promise<readonly Plain<DestinationDto>[]> {
    const states = await this.log.states(destinations.map(({ id }) => id));
    return destinations.map((each) => ({
      id: each.id,
      organizationId: each.organizationId,
      name: each.name,
      kind: each.kind,
      format: each.kind === 'audit' ? 'jsonl' : each.format,
      url: each.origin,
      headerNames: each.headerNames,
      sends: each.sends,
      websiteIds: each.websiteIds,
      linkIds: each.linkIds,
      monitorIds: each.monitorIds,
      goalIds: each.goalIds,
      openToMembers: each.openToMembers,
      begin: each.begin,
      enabled: each.enabled,
      ...(states.get(each.id) ?? { state: 'ok', lastAnswer: null, lagSeconds: 0 }),
      ...historyOf(each),
    }));
  }

  /** What is encrypted is encrypted anew each time, so that what stays the same is no change. */
  override async data(
    { url, headers, begin, ...input }: Changes,
    { id, startedAt }: StartedCommand,
    current?: Destination,
    secret?: string,
  ): Promise<object> {
    if (!current) {
      const { organizationId = '' } = input;
      const target = { url: url ?? '', headers: headers ?? {}, secrets: [{ secret: secret ?? '' }] };
      const place = typeof begin === 'number' ? begin : await this.nextPlace(organizationId);
      return { ...input, begin: place, ...(await this.sealed({ organizationId, id }, target)) };
    }
    if (url === undefined && headers === undefined && secret === undefined) return input;
    const held = await this.target(current);
    if (secret !== undefined) {
      const secrets = rotated(held, secret, startedAt);
      return { sealed: await this.values.seal(current, { ...held, secrets }) };
    }
    const target = { ...held, url: url ?? held.url, headers: headers ?? held.headers };
    return isDeepStrictEqual(target, held) ? input : { ...input, ...(await this.sealed(current, target)) };
  }

  /** Makes unreadable what no destination of the stream holds any more, also of a change that did not get here. */
  override async stored(_: Changes | null, _after: Destination | null, history: readonly Recorded[]): Promise<void> {
    const all = history.flatMap((event) => {
      const { type, data } = event;
      const holds = type === 'DestinationCreated' || type === 'DestinationUpdated' || type === 'DestinationRotated';
      return holds ? [{ organizationId: data.organizationId, id: data.destinationId, sealed: data.sealed }] : [];
    });
    const held = new Map(all.map((each) => [each.id, each.sealed]));
    for (const { type, data } of history) if (type === 'DestinationDeleted') held.delete(data.destinationId);
    await this.values.destroy(all.filter(({ id, sealed }) => held.get(id) !== sealed));
  }

  private checkAddress({ protocol, hostname, host }: URL): void {
    const bare = hostname.replace(/^\[|\]$/g, '');
    const isHidden =
      isIP(bare) > 0 ? !isAllowedTarget(bare, protocol, this.settings) : /(^|\.)localhost\.?$/.test(bare);
    const isPlain = protocol !== 'https:' && this.settings.destinationAllow.length === 0;
    if (isHidden || isPlain) throw invalid([{ field: 'url', message: 'url must lead to a public address over https' }]);
    if (isOwnHost(host, this.settings))
      throw invalid([{ field: 'url', message: 'url must not lead to this installation itself' }]);
  }

  private async nextPlace(organizationId: string): Promise<number> {
    return ((await this.store.chainHead(organizationId))?.revision ?? -1) + 1;
  }

  private async sealed(owner: ValueOwner, target: WebhookTarget) {
    const headerNames = Object.keys(target.headers).sort();
    return { origin: new URL(target.url).origin, headerNames, sealed: await this.values.seal(owner, target) };
  }
}
