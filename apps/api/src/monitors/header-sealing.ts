import { isDeepStrictEqual } from 'node:util';
import type { MonitorDetails } from '@ledgerline/contracts/events/monitor.events';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { Monitor } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import { omit } from '@ledgerline/domain/changes';
import { SealedValues, type SealedValue, type ValueOwner } from '@ledgerline/platform/personal-data/sealed-values';
import { SubjectKeys } from '@ledgerline/platform/personal-data/subject-keys';
import type { MonitorChanges, MonitorHeaders, SealedMonitorHeaders } from './monitor-settings.dto';

/** Encrypts the headers of monitors for events, and makes those unreadable that are no longer in force. */
@Injectable()
export class HeaderSealing {
  private readonly values: SealedValues<MonitorHeaders>;

  constructor(keys: SubjectKeys) {
    this.values = new SealedValues(keys);
  }

  async seal(owner: ValueOwner, headers: MonitorHeaders): Promise<SealedMonitorHeaders> {
    const headerNames = Object.keys(headers).sort();
    return { headerNames, sealedHeaders: headerNames.length === 0 ? null : await this.values.seal(owner, headers) };
  }

  /** Headers are encrypted anew each time, so those that stay the same are no change. */
  async sealChanges(current: Monitor, { headers, ...changes }: MonitorChanges) {
    if (!headers || (await this.isSame(current, headers))) return changes;
    return { ...changes, ...(await this.seal(current, headers)) };
  }

  /** Leaves of a stream the headers of this monitor, null = of none. */
  destroyAllBut(monitor: Monitor | null, history: readonly Recorded[]): Promise<void> {
    const earlier = history.flatMap(sealedIn).filter(({ sealed }) => sealed !== monitor?.sealedHeaders);
    return this.values.destroy(earlier);
  }

  private async isSame(current: Monitor, headers: MonitorHeaders): Promise<boolean> {
    const sealed = sealedOf(current);
    const opened = sealed.sealed === null ? {} : (await this.values.open([sealed])).get(sealed.sealed);
    return isDeepStrictEqual(opened, { ...headers });
  }
}

const sealedOf = ({ organizationId, id, sealedHeaders }: ValueOwner & MonitorDetails): SealedValue => ({
  organizationId,
  id,
  sealed: sealedHeaders,
});

const sealedIn = (event: Recorded): readonly SealedValue[] =>
  event.type === 'MonitorCreated' || event.type === 'MonitorUpdated'
    ? [sealedOf({ ...omit(event.data, 'monitorId'), id: event.data.monitorId })]
    : [];
