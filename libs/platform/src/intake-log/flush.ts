import type { Pool, PoolClient } from 'pg';
import { isServerError } from '../database/database-errors';
import { inOneFlush, transaction } from '../database/pool';
import { candidatesOf, uuids, withKeys, type Candidates } from './deduplication';
import { type EncodedHit, storeHitTraces } from './encoded-hit';
import { SEGMENT_FORMAT, packEvents } from './segment-format';

/** The outcome of one transaction. */
export interface Flushed {
  readonly stored: ReadonlySet<EncodedHit>;
  /** The newest offset of every partition the hits belong to, as a cursor. */
  readonly positions: ReadonlyMap<number, string>;
}

/** Where a segment went, and the chain hash that proves it is this one. */
interface StoredSegment {
  readonly at_partition: number;
  /** Offsets of the segment's first and last event. */
  readonly at_offset: string;
  readonly at_newest: string;
  readonly with_chain: Buffer;
}

/** The connection broke while the commit was under way: it may have happened or not. */
export class CommitInDoubt extends Error {
  constructor(
    readonly placed: readonly StoredSegment[],
    readonly flushed: Flushed,
    options: ErrorOptions,
  ) {
    super('the connection broke during the commit', options);
    this.name = 'CommitInDoubt';
  }
}

/** Writes hits in one transaction: duplicates out, number, store. @throws CommitInDoubt · errors of pg */
export async function flush(pool: Pool, hits: readonly EncodedHit[], now?: Date): Promise<Flushed> {
  const candidates = candidatesOf(hits);
  const segments = await packSegments(candidates.hits);
  const client = await pool.connect();
  let broken = true;
  try {
    const { stored, placed } = await storeAfter(() => client.query('begin'), client, { candidates, segments, now });
    const flushed = { stored, positions: await positionsOf(client, hits, placed) };
    await storeHitTraces(client, stored, flushed.positions);
    await client.query('commit').catch((cause: unknown) => {
      throw new CommitInDoubt(placed, flushed, { cause });
    });
    broken = false;
    return flushed;
  } catch (error) {
    if (isServerError(error)) broken = await rollbackFails(client);
    throw error;
  } finally {
    client.release(broken);
  }
}

const rollbackFails = (client: PoolClient): Promise<boolean> =>
  client.query('rollback').then(
    () => false,
    () => true,
  );

/** Returns whether a commit in doubt happened; waits for the transaction that may still be at it. */
export async function isCommitted(pool: Pool, [first]: readonly StoredSegment[]): Promise<boolean> {
  if (!first) return false;
  return transaction(pool, async (client) => {
    await client.query('select from intake_heads where partition = $1 for update', [first.at_partition]);
    const { rowCount } = await client.query(
      'select from intake_segments where partition = $1 and first_offset = $2 and chain = $3',
      [first.at_partition, first.at_offset, first.with_chain],
    );
    return rowCount === 1;
  });
}

interface Stored {
  readonly stored: ReadonlySet<EncodedHit>;
  readonly placed: readonly StoredSegment[];
}

interface Packed {
  readonly candidates: Candidates;
  /** All of the candidates. */
  readonly segments: readonly Segment[];
  /** When they arrived; by default the database's time. */
  readonly now: Date | undefined;
}

/**
 * Stores the candidates' segments, if all of them are new, in one round trip with the statements that begin the
 * transaction; otherwise packs and appends those that are.
 */
export async function storeAfter<Begun>(
  begin: () => Promise<Begun>,
  client: PoolClient,
  { candidates, segments, now }: Packed,
): Promise<Stored & { readonly begun: Begun }> {
  const { keys, forever } = candidates;
  const sent = inOneFlush(
    client,
    () =>
      [
        begin(),
        client.query<StoredSegment & { fresh: string | null }>({
          name: 'intake_store',
          text: `select fresh::text, at_partition, at_offset, at_newest, with_chain
        from intake_store($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
          values: [uuids(keys), uuids(forever), now ?? null, ...columnsOf(segments)],
        }),
      ] as const,
  );
  const [begun, { rows }] = await Promise.all(sent);
  const fresh = rows[0]?.fresh ?? null;
  if (fresh === null) return { begun, stored: new Set(candidates.hits), placed: rows };
  const rest = withKeys(candidates, fresh);
  return { begun, stored: new Set(rest), placed: await appendSegments(client, await packSegments(rest)) };
}

/** Numbers and stores segments within the transaction of `client`. */
export async function appendSegments(client: PoolClient, segments: readonly Segment[]): Promise<StoredSegment[]> {
  if (segments.length === 0) return [];
  const { rows } = await client.query<StoredSegment>({
    name: 'intake_append',
    text: 'select * from intake_append($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: columnsOf(segments),
  });
  return rows;
}

/** The parameters of `intake_append`. */
const columnsOf = (segments: readonly Segment[]): unknown[] => [
  segments.map(({ partition }) => partition),
  segments.map(({ count }) => count),
  segments.map(({ types }) => types.join(',')),
  SEGMENT_FORMAT,
  segments.map(({ size }) => size),
  segments.map(({ minAt }) => minAt),
  segments.map(({ maxAt }) => maxAt),
  segments.map(({ payload }) => payload.length),
  Buffer.concat(segments.map(({ payload }) => payload)),
];

/** The newest offset by partition. */
export const newestOf = (placed: readonly StoredSegment[]): Map<number, string> =>
  new Map(placed.map(({ at_partition, at_newest }) => [at_partition, at_newest]));

/** Where nothing was written, the head is behind the first arrival of every duplicate: that one has committed. */
async function positionsOf(
  client: PoolClient,
  hits: readonly EncodedHit[],
  placed: readonly StoredSegment[],
): Promise<ReadonlyMap<number, string>> {
  const positions = newestOf(placed);
  const others = new Set(hits.map(({ partition }) => partition).filter((partition) => !positions.has(partition)));
  if (others.size === 0) return positions;
  const { rows } = await client.query<{ partition: number; newest: string }>(
    'select partition, next_offset - 1 as newest from intake_heads where partition = any($1)',
    [[...others]],
  );
  for (const { partition, newest } of rows) positions.set(partition, newest);
  return positions;
}

/** Neighbouring events of one partition, packed; the unit the log stores, hashes and reads. */
interface Segment {
  readonly partition: number;
  readonly count: number;
  /** Sorted. */
  readonly types: readonly string[];
  /** Length of the unpacked payload. */
  readonly size: number;
  /** Event times, epoch ms. */
  readonly minAt: number;
  readonly maxAt: number;
  readonly payload: Buffer;
}

const MAX_EVENTS = 4_096;
/** About so many characters of JSON ({@link EncodedHit.bytes}). */
const MAX_BYTES = 2 * 1024 * 1024;

/** Packs hits in their order, partition by partition. */
export async function packSegments(hits: readonly EncodedHit[]): Promise<Segment[]> {
  const partitions = new Set(hits.map(({ partition }) => partition));
  const groups = [...partitions]
    .sort((a, b) => a - b)
    .flatMap((one) => [...split(hits.filter(({ partition }) => partition === one))]);
  return Promise.all(groups.map(packSegment));
}

function* split(hits: readonly EncodedHit[]): Generator<EncodedHit[]> {
  let part: EncodedHit[] = [];
  let bytes = 0;
  for (const hit of hits) {
    if (part.length > 0 && (part.length >= MAX_EVENTS || bytes + hit.bytes > MAX_BYTES)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(hit);
    bytes += hit.bytes;
  }
  if (part.length > 0) yield part;
}

async function packSegment(hits: readonly EncodedHit[]): Promise<Segment> {
  let minAt = Infinity;
  let maxAt = -Infinity;
  for (const { at } of hits) {
    minAt = Math.min(minAt, at);
    maxAt = Math.max(maxAt, at);
  }
  return {
    partition: hits[0]?.partition ?? 0,
    count: hits.length,
    types: [...new Set(hits.map(({ type }) => type))].sort(),
    minAt,
    maxAt,
    ...(await packEvents(hits)),
  };
}
