import { run, runPrepared, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { Cursor } from '../log/log-reader';
import type { EncodedHit } from './encoded-hit';
import { offsetOf } from './intake-log-tables';

interface HitTrace {
  readonly partition: number;
  readonly traceparent: string;
  readonly types: Set<string>;
}

/**
 * Stores the traces that hits belong to, beside the log, whose segments are hashed and kept for ever. `positions`: the
 * newest offset of this flush by partition.
 */
export async function storeHitTraces(
  on: Queryable,
  hits: Iterable<EncodedHit>,
  positions: ReadonlyMap<number, Cursor>,
): Promise<void> {
  const traces = new Map<string, HitTrace>();
  for (const { partition, trace: traceparent, type } of hits) {
    if (traceparent === undefined) continue;
    const key = `${partition} ${traceparent}`;
    const known = traces.get(key) ?? { partition, traceparent, types: new Set() };
    traces.set(key, known);
    known.types.add(type);
  }
  if (traces.size === 0) return;
  const rows = [...traces.values()];
  await run(
    on,
    sql`insert into hit_traces (partition, "offset", traceparent, types)
      select partition, "offset", traceparent, string_to_array(types, ',')
      from unnest(
        ${rows.map(({ partition }) => partition)}::int[],
        ${rows.map(({ partition }) => positions.get(partition) ?? null)}::bigint[],
        ${rows.map(({ traceparent }) => traceparent)}::text[],
        ${rows.map(({ types }) => [...types].join(','))}::text[]
      ) as trace (partition, "offset", traceparent, types)`,
  );
}

interface Range {
  readonly partition: number;
  /** Without this position. */
  readonly after: Cursor;
  readonly upTo: Cursor;
  /** Of the events that are wanted. */
  readonly types: readonly string[];
  readonly limit: number;
}

/** The traces of the hits of a part of a partition; the newest ones where there are more. */
export async function readHitTraces(on: Queryable, range: Range): Promise<readonly string[]> {
  const { partition, after, upTo, types, limit } = range;
  const rows = await runPrepared<{ traceparent: string }>(
    on,
    'hit traces',
    sql`select traceparent from hit_traces
      where partition = ${partition} and "offset" > ${offsetOf(after)} and "offset" <= ${offsetOf(upTo)}
        and types && ${[...types]}::text[]
      group by traceparent order by max("offset") desc limit ${limit}`,
  );
  return rows.map(({ traceparent }) => traceparent);
}

/** Those that no projector needs any more. */
export const dropHitTraces = (on: Queryable, now: Date): Promise<unknown> =>
  run(on, sql`delete from hit_traces where stored_at < ${now}::timestamptz - interval '1 day'`);
