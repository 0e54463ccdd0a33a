import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { onReadStore, storeName } from '@ledgerline/platform/read-stores/read-store';
import type { BoundGroup } from './bound-group';
import type { ParkedEvent } from './parked-events';

/** A parked event, as operators see it. */
export interface ParkedReport extends ParkedEvent {
  /** Unique in all stores. */
  readonly id: string;
  readonly group: BoundGroup;
  readonly version: number;
  readonly live: boolean;
  readonly partition: number;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly occurredAt: Date | null;
  /** Null = it only waits behind an earlier one. */
  readonly error: string | null;
  readonly tries: number;
  readonly parkedAt: Date;
  readonly acceptedAt: Date | null;
}

/** What is parked in each store, in the order of the log within a partition. @throws ReadStoreUnavailable */
export async function listParked(groups: readonly BoundGroup[]): Promise<ParkedReport[]> {
  const reports: ParkedReport[] = [];
  for (const group of groups) {
    const { name, pool, share, log } = group;
    const listed = sql`select number::float8, version, version = live_version as live, partition, cursor, after,
          order_key as "orderKey", event_id as "eventId", event_type as type, subject, occurred_at as "occurredAt",
          error, tries, parked_at as "parkedAt", accepted_at as "acceptedAt"
        from parked_events join projection_groups on name = projection_group
        where projection_group = ${name} and epoch = ${await log.epoch()} order by number`;
    const rows = await onReadStore(() => run<Omit<ParkedReport, 'id' | 'group'>>(pool, listed));
    reports.push(...rows.map((row) => ({ ...row, group, id: `${storeName(name, share)}/${row.number}` })));
  }
  return reports;
}
