import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { isObject } from '@ledgerline/contracts/json';
import { type Queryable, run, runPrepared } from '../database/pool';
import { sql } from '../database/sql';
import type { Cursor } from '../log/log-reader';
import { HitTooLarge, type IntakeItem, MAX_HIT_BYTES, offsetOf, partitionOf } from './intake-log';

/** A hit that can be written: checked before it waits for its flush, so that a bad one fails alone. */
export interface EncodedHit {
  readonly event: ObservedEvent;
  readonly partition: number;
  readonly type: string;
  /** Whole epoch ms. */
  readonly at: number;
  /** About the characters of its JSON before escaping; cheap, and near enough to bound what is pending. */
  readonly bytes: number;
  /** The event's id as 32 hex digits. */
  readonly id: string;
  /** The key by which it is recognised when it comes again: its batch's id, or its own; 32 hex digits. */
  readonly key: string;
  readonly dedupe: IntakeItem['dedupe'];
  readonly trace: IntakeItem['trace'];
}

const BATCH = /^[0-9a-f]{32}$/;

/** @throws HitTooLarge · RangeError for an id, a batch's id or a time that is none, and for data that is nested too deeply */
export function encodeHit({ event, subject, dedupe, batch, trace }: IntakeItem, partitions: number): EncodedHit {
  const bytes = roughLength(event);
  if (bytes * BYTES_PER_CHARACTER > MAX_HIT_BYTES) checkLength(event);
  const at = Math.trunc(event.at);
  if (!Number.isSafeInteger(at)) throw new RangeError(`${event.type} ${event.id} happened at no time`);
  if (batch !== undefined && !BATCH.test(batch)) throw new RangeError(`${event.type} ${event.id} has no batch id`);
  const id = decodeEventId(event.id).toString('hex');
  return {
    event,
    partition: partitionOf(subject, partitions),
    type: event.type,
    at,
    bytes,
    id,
    key: batch ?? id,
    dedupe,
    trace,
  };
}

/** No character of JSON takes more: `\u0000`. */
const BYTES_PER_CHARACTER = 6;

/** JSON.stringify, which calls itself for each level, has room for some thousands. */
const MAX_DEPTH = 500;

/** The characters of its JSON before escaping, or a few more; making the JSON takes ten times as long. @throws RangeError */
function roughLength(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (!isObject(value)) return 24; // no number is longer
  if (depth > MAX_DEPTH) throw new RangeError(`an event is nested deeper than ${MAX_DEPTH} levels`);
  let length = 2;
  if (Array.isArray(value)) {
    for (const each of value) length += 1 + roughLength(each, depth + 1);
    return length;
  }
  for (const key of Object.keys(value)) length += key.length + 4 + roughLength(value[key], depth + 1);
  return length;
}

function checkLength(event: ObservedEvent): void {
  const bytes = Buffer.byteLength(JSON.stringify(event));
  if (bytes > MAX_HIT_BYTES) throw new HitTooLarge(`${event.type} ${event.id} has ${bytes} bytes of JSON`);
}

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
  /** The types of the events that are wanted. */
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

/** Drops the traces that no projector needs any more. */
export const dropHitTraces = (on: Queryable, now: Date): Promise<unknown> =>
  run(on, sql`delete from hit_traces where stored_at < ${now}::timestamptz - interval '1 day'`);
