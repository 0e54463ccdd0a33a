import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ReadStoreUnavailable, onReadStore, storeName } from '@ledgerline/platform/read-stores/read-stores';
import type { BoundGroup } from './bound-group';
import type { ParkedEvent } from './parked-events';

/** One partition of one version, as `projections list` shows it. */
export interface Standing {
  readonly group: string;
  /** The place of its read store. */
  readonly store: number;
  readonly version: number;
  readonly live: boolean;
  /** True if a rollback would switch to it. */
  readonly kept: boolean;
  readonly partition: number;
  readonly cursor: string;
  readonly head: string;
  /** Time since the newest included event, while behind the head; 0 = nothing is missing. */
  readonly lagMs: number;
  readonly asOf: Date | null;
  readonly events: number;
  readonly stopped: string | null;
  /** Events that wait for a retry or for an operator to accept that they are left out. */
  readonly parked: number;
  /** When comparing the partition with its log ended last; null = it never has. */
  readonly reconciledAt: Date | null;
  /** The number of faults that comparing found and nothing has repaired. */
  readonly findings: number;
}

interface Row extends Omit<Standing, 'head' | 'lagMs' | 'store'> {
  readonly age: number | null;
}

/** The standings that could be read of all read stores. */
export interface Standings {
  readonly standings: readonly Standing[];
  /** Places of those that cannot be reached. */
  readonly away: readonly number[];
}

/**
 * Lists the projections of the partitions that each store serves. @throws ReadStoreUnavailable without the main
 * database
 */
export async function listProjections(groups: readonly BoundGroup[]): Promise<Standings> {
  const standings: Standing[] = [];
  const away = new Set<number>();
  for (const group of groups) {
    const { place } = group.share;
    if (group.name !== 'registry' && away.has(place)) continue;
    try {
      standings.push(...(await standingsOf(group)));
    } catch (error) {
      if (group.name === 'registry' || !(error instanceof ReadStoreUnavailable)) throw error;
      away.add(place);
    }
  }
  return { standings, away: [...away] };
}

async function standingsOf({ name, log, pool, share }: BoundGroup): Promise<Standing[]> {
  const listed = sql`select projection_group as group, version, version = live_version as live,
          coalesce(version = (previous->>'version')::integer, false) as kept, partition, cursor, as_of as "asOf",
          events::float8, stopped,
          (select count(*)::integer from parked_events p where p.projection_group = c.projection_group
            and p.version = c.version and p.partition = c.partition and p.epoch = c.epoch and accepted_at is null) as parked,
          r.checked_at as "reconciledAt",
          (select count(*)::integer from reconciliation_findings f where f.projection_group = c.projection_group
            and f.partition = c.partition and f.repaired_at is null) as findings,
          (extract(epoch from clock_timestamp() - as_of) * 1000)::float8 as age
        from projection_checkpoints c join projection_groups on name = projection_group
          left join reconciliations r using (projection_group, partition)
        where projection_group = ${name} and partition % ${share.stores} = ${share.place - 1} order by version, partition`;
  const standings: Standing[] = [];
  for (const { age, ...row } of await onReadStore(() => run<Row>(pool, listed))) {
    const head = await log.head(row.partition);
    const isBehind = log.compare(row.cursor, head) < 0;
    standings.push({ ...row, store: share.place, head, lagMs: isBehind ? (age ?? 0) : 0 });
  }
  return standings;
}

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

/** Returns what is parked in each store, in the order of the log within a partition. @throws ReadStoreUnavailable */
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
