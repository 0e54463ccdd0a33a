import { isMissingTable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { sql, type Sql } from '../database/sql';
import type { Cursor } from '../log/log-reader';
import type { Share } from './read-store';

/** How far the live version of a group is in one partition of its log. */
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
  /** Since it moved, by the clock of the database. */
  readonly idleMs: number;
  /** Events in the version that is filled beside it; null = there is none. */
  readonly rebuilt: number | null;
  /** Events that it left out because they failed, or wait behind such ones; without those that operators accepted. */
  readonly parked: number;
  /** Since when there are any. */
  readonly parkedSince: Date | null;
  /** Tables of the group that are filled beside those that answer, since a program declares others. */
  readonly pending: readonly string[];
  /** Whether those were filled, and have other rows than the ones that answer. */
  readonly differs: boolean;
}

/** Those of the registry, which are in the main database. */
export const registryCheckpoints = (main: Queryable): Promise<LiveCheckpoint[]> =>
  checkpointsWhere(main, sql`g.name = 'registry'`);

/** Those of websites and links in the partitions that a read store serves; none while it is empty. */
export async function storeCheckpoints(on: Queryable, { place, stores }: Share): Promise<LiveCheckpoint[]> {
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
      select c.projection_group as "group", c.version, c.partition, c.cursor, c.events::float8, c.as_of as "asOf", c.stopped,
        (greatest(0, extract(epoch from clock_timestamp() - c.updated_at)) * 1000)::float8 as "idleMs",
        (select greatest(n.events, n.filled)::float8 from projection_checkpoints n
          where n.projection_group = c.projection_group and n.partition = c.partition and n.version <> c.version
            and n.version is distinct from (g.previous->>'version')::integer
          order by n.version desc limit 1) as rebuilt,
        array(select key from jsonb_each(g.tables) where value ? 'pending' order by key) as pending,
        exists (select from jsonb_each(g.tables) where value ? 'differs') as differs,
        coalesce(p.parked, 0) as parked, p.since as "parkedSince"
      from projection_checkpoints c
      join projection_groups g on g.name = c.projection_group and g.live_version = c.version
      left join (
        select projection_group, version, partition, epoch, count(*)::integer as parked, min(parked_at) as since
        from parked_events where accepted_at is null group by 1, 2, 3, 4
      ) p using (projection_group, version, partition, epoch)
      where ${condition}
      order by c.projection_group, c.partition`,
  );
