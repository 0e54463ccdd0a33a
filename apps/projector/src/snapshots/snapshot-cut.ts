import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { offsetCursor, readHeads } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { NotRebuilt } from '../rebuild/catch-up';

/** Where the intake log was at a moment. */
export interface SnapshotCut {
  /** Epoch ms, by the clock of the database. */
  readonly until: number;
  /** The newest event by partition. */
  readonly ends: ReadonlyMap<number, Cursor>;
}

/** The cut after all that had been recorded by then. @throws NotRebuilt for a moment that is to come */
export async function cutAt(main: Pool, until: Date | undefined): Promise<SnapshotCut> {
  const [clock] = await run<{ now: Date }>(main, sql`select clock_timestamp() as now`);
  const now = clock?.now ?? new Date();
  if (until && until > now) throw new NotRebuilt(`${until.toISOString()} is to come.`);
  const ends = new Map<number, Cursor>();
  for (const [partition, head] of await readHeads(main)) {
    const [later] = await run<{ first: string }>(
      main,
      sql`select first_offset as first from intake_segments
          where partition = ${partition} and recorded_at > ${until ?? now} order by first_offset limit 1`,
    );
    ends.set(partition, later ? offsetCursor(Number(later.first) - 1) : head);
  }
  return { until: (until ?? now).getTime(), ends };
}

/**
 * The cut after these offsets, and in other partitions after what had been recorded when the newest of these was.
 * @param offsets by partition
 * @throws NotRebuilt for an offset that no event has
 */
export async function cutAfter(main: Pool, offsets: ReadonlyMap<number, number>): Promise<SnapshotCut> {
  let until = new Date(0);
  for (const [partition, offset] of offsets) {
    const [segment] = await run<{ recordedAt: Date }>(
      main,
      sql`select recorded_at as "recordedAt" from intake_segments
          where partition = ${partition} and first_offset <= ${offset} and first_offset + count > ${offset}`,
    );
    if (!segment) throw new NotRebuilt(`The intake log has no event ${offset} in partition ${partition}.`);
    if (segment.recordedAt > until) until = segment.recordedAt;
  }
  const { ends, ...cut } = await cutAt(main, until);
  const own = [...offsets].map(([partition, offset]) => [partition, offsetCursor(offset)] as const);
  return { ...cut, ends: new Map([...ends, ...own]) };
}
