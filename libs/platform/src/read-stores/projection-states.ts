import { isMissingTable } from '../database/database-errors';
import { type Queryable, run } from '../database/pool';
import { sql, type Sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import { readSealingProgress } from '../event-store/sealing-progress';
import type { Cursor } from '../log/log-reader';
import { OWN_GROUPS } from '../table-versions/live-tables';
import type { StoreShare } from './read-stores';

/** The checkpoint of the live version of a group in one partition of its log. */
export interface LiveCheckpoint {
  readonly group: string;
  readonly version: number;
  readonly partition: number;
  readonly cursor: Cursor;
  readonly events: number;
  /** Log time of the newest event that is included. */
  readonly asOf: Date | null;
  /** Why it is stopped; null = it is not. */
  readonly stopped: string | null;
  /** Events in the version that is filled beside it; null = there is none. */
  readonly rebuilt: number | null;
  /** Events that it left out because they failed, or wait behind such ones; without those that operators accepted. */
  readonly parked: number;
  /** Since when there are any. */
  readonly parkedSince: Date | null;
  /**
   * The number of parked events of the version that is filled beside it: as long as there are any, it does not answer.
   */
  readonly parkedBeside: number;
  readonly parkedBesideSince: Date | null;
  /** Tables of the group that are filled beside those that answer, since a program declares others. */
  readonly pending: readonly string[];
  /** True if those were filled, and have other rows than the ones that answer. */
  readonly differs: boolean;
}

/** Reads the checkpoints of the registry, which are in the main database. */
export const registryCheckpoints = (main: Queryable): Promise<LiveCheckpoint[]> =>
  checkpointsWhere(main, sql`g.name = 'registry'`);

/** Events of one read; on EventStoreDB what is behind a cursor may be others than decided ones. */
const LOOKED_AT = 64;

/**
 * Returns how long the oldest decided event that a checkpoint does not include has been waiting, by the clock of this
 * process, ms: also while no projector moves it.
 */
export async function decidedLag(
  eventStore: Pick<EventStore, 'head' | 'compare' | 'read'>,
  cursor: Cursor,
): Promise<number> {
  if (eventStore.compare(cursor, await eventStore.head(0)) >= 0) return 0;
  for (let after = cursor; ;) {
    const { events, next, atHead } = await eventStore.read(0, after, { max: LOOKED_AT });
    if (events[0]) return Math.max(0, Date.now() - events[0].recordedAt.getTime());
    if (atHead || next === after) return 0;
    after = next;
  }
}

/**
 * Returns how long the oldest event that was not passed has been waiting, ms, and the few seconds between two writes
 * more.
 * Undefined where no sealer was ever seen, or Postgres holds the events. @throws LogUnavailable
 */
export async function sealingLag(
  { eventStoreUrl }: { readonly eventStoreUrl?: string | undefined },
  database: Queryable,
  log: Parameters<typeof decidedLag>[0],
): Promise<number | undefined> {
  const progress = eventStoreUrl === undefined ? undefined : await readSealingProgress(database);
  return progress && decidedLag(log, progress.passed);
}

/** Reads the checkpoints of websites and links in the partitions that a read store serves; none while it is empty. */
export async function storeCheckpoints(on: Queryable, { place, stores }: StoreShare): Promise<LiveCheckpoint[]> {
  try {
    return await checkpointsWhere(on, sql`g.name <> 'registry' and c.partition % ${stores} = ${place - 1}`);
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

const checkpointsWhere = (on: Queryable, condition: Sql): Promise<LiveCheckpoint[]> =>
  run<LiveCheckpoint>(
    on,
    sql`
      with parked as (
        select projection_group, version, partition, epoch, count(*)::integer as parked, min(parked_at) as since
        from parked_events where accepted_at is null group by 1, 2, 3, 4
      )
      select c.projection_group as "group", c.version, c.partition, c.cursor, c.events::float8, c.as_of as "asOf", c.stopped,
        filling.events as rebuilt,
        array(select key from jsonb_each(g.tables) where value ? 'pending' order by key) as pending,
        exists (select from jsonb_each(g.tables) where value ? 'differs') as differs,
        coalesce(live.parked, 0) as parked, live.since as "parkedSince",
        coalesce(beside.parked, 0) as "parkedBeside", beside.since as "parkedBesideSince"
      from projection_checkpoints c
      join ${OWN_GROUPS} g on g.name = c.projection_group and g.live_version = c.version
      left join lateral (
        select n.version, greatest(n.events, n.filled)::float8 as events from projection_checkpoints n
        where n.projection_group = c.projection_group and n.partition = c.partition and n.version <> c.version
          and n.version is distinct from (g.previous->>'version')::integer
        order by n.version desc limit 1
      ) filling on true
      left join parked live on live.projection_group = c.projection_group and live.version = c.version
        and live.partition = c.partition and live.epoch = c.epoch
      left join parked beside on beside.projection_group = c.projection_group and beside.version = filling.version
        and beside.partition = c.partition and beside.epoch = c.epoch
      where ${condition}
      order by c.projection_group, c.partition`,
  );

/** The comparison of the tables of a partition with its log. */
export interface Reconciliation {
  readonly group: string;
  readonly partition: number;
  /** When the last complete comparison ended; null = there was none. */
  readonly checkedAt: Date | null;
  /** The time since it began, ms; before the first one, for how long there has been none. */
  readonly agoMs: number;
  /** Days of subjects, and rows of the registry, in which a table differs, once for each table, that are not repaired. */
  readonly findings: number;
  /** One of them. */
  readonly example: {
    readonly table: string;
    readonly subject: string;
    readonly day: string;
    readonly since: Date;
  } | null;
}

/** Reads the reconciliation of the registry, in the main database. */
export const registryReconciliations = (main: Queryable): Promise<Reconciliation[]> =>
  reconciliationsWhere(main, sql`r.projection_group = 'registry'`);

/**
 * Reads the reconciliations of websites and links in the partitions that a read store serves; none while it is empty.
 */
export const storeReconciliations = (on: Queryable, { place, stores }: StoreShare): Promise<Reconciliation[]> =>
  reconciliationsWhere(on, sql`r.projection_group <> 'registry' and r.partition % ${stores} = ${place - 1}`);

async function reconciliationsWhere(on: Queryable, condition: Sql): Promise<Reconciliation[]> {
  try {
    return await run<Reconciliation>(
      on,
      sql`select r.projection_group as group, r.partition, r.checked_at as "checkedAt",
          (greatest(0, extract(epoch from clock_timestamp() - r.checked_since)) * 1000)::float8 as "agoMs",
          count(f.subject)::integer as findings,
          (array_agg(json_build_object('table', f.table_name, 'subject', f.subject, 'day', f.day, 'since', f.found_at)
            order by f.found_at, f.table_name) filter (where f.subject is not null))[1] as example
        from reconciliations r left join reconciliation_findings f
          on f.projection_group = r.projection_group and f.partition = r.partition and f.repaired_at is null
        where ${condition} group by r.projection_group, r.partition order by 1, 2`,
    );
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}
