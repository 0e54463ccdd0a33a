import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { transaction } from '@ledgerline/platform/database/pool';
import { textHash } from '@ledgerline/platform/database/sql';
import { offsetCursor, offsetOf } from '@ledgerline/platform/intake-log/intake-log';
import { isDigestOf } from '@ledgerline/platform/intake-log/segment-reader';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { advanceCheckpoints } from '../runner/batch-writer';
import type { BoundGroup } from '../runner/bound-group';
import { noteFilled, readCursors } from '../runner/checkpoint';
import { readParkedSet } from '../runner/parked-events';
import { workersFor, type Workers } from './bulk-threads';
import { EventRefused, type FilledVersion, addPrimaryKeys, emptyTables, notingProgress } from './bulk-work';
import { countProjectedEvents, NotRebuilt, type LivePosition } from './catch-up';
import { type Range, type SpilledRange, visitorBucketBlocks, divided, spreadOf } from './read-range';

export interface BulkFill extends FilledVersion {
  /** Up to where the log is read. */
  readonly live: LivePosition;
  /** True if changed texts get those of the log. */
  readonly mends: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly sizes?: BulkSizes;
}

/** The sizes into which a fill is divided, which decides how much memory it takes. */
export interface BulkSizes {
  /** Hits of one bucket, about. */
  readonly bucket: number;
  /** Bytes of records whose visitors are in memory together; a bucket with more is divided. */
  readonly atOnce: number;
  /** Events of a part that one thread reads, at least and at most. */
  readonly range: readonly [least: number, most: number];
  /** Fewer events are read and written before threads have started. */
  readonly threadsFrom: number;
}

const SIZES: BulkSizes = { bucket: 12_000, atOnce: 3 * 2 ** 20, range: [50_000, 500_000], threadsFrom: 50_000 };
const MOST_BUCKETS = 4_096;
/** Bytes of a spilled hit, about. */
export const HIT_BYTES = 300;

/**
 * Fills the tables of a version that has nothing yet from the whole log up to where the live version is: hits are spilled
 * by visitor to files, the sessions of each visitor are made once from all of its hits, and what follows from them is
 * copied into the tables. One that was interrupted begins again.
 * @throws NotRebuilt for an event that cannot be projected, and where there is no room for the files
 */
export async function fillInBulk(given: BulkFill): Promise<void> {
  const fill = { sizes: SIZES, ...given, ...notingProgress(given) };
  const { group, version, live } = fill;
  const checkpoints = await readCursors(group.pool, { group: group.name, version });
  const isBegun = [...checkpoints.values()].some(({ cursor }) => cursor !== BEGINNING);
  const cuts = await cutsOf(group, live, [...checkpoints.keys()]);
  const total = cuts.reduce((sum, { upTo }) => sum + offsetOf(upTo) + 1, 0);
  if (isBegun || total === 0) return;
  const folder = join(group.spillTo, folderName(group));
  await rm(folder, { recursive: true, force: true }); // of one that was killed
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const workers = workersFor(group, total >= fill.sizes.threadsFrom);
  const ending = () => void workers.end();
  fill.signal?.addEventListener('abort', ending);
  try {
    await assertRoom(folder, total * HIT_BYTES);
    await emptyTables(fill);
    const expected = live.isBegun ? live.events : total;
    const ranges = await readAll(fill, workers, cuts, { total, expected, folder });
    await writeAll(fill, workers, ranges, { expected, folder });
    await addPrimaryKeys(fill);
    await fill.noted();
    await advance(fill, cuts, ranges);
  } catch (error) {
    fill.signal?.throwIfAborted();
    throw asNotRebuilt(error, folder);
  } finally {
    fill.signal?.removeEventListener('abort', ending);
    await workers.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where an operator can do something about it. */
function asNotRebuilt(error: unknown, folder: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === EventRefused.name) return new NotRebuilt(error.message);
  const isFull = 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  return isFull ? new NotRebuilt(`The disk of ${folder} is full; make room there, or set DATA_DIR.`) : error;
}

/** One at a time fills tables of a group in a database. */
const folderName = ({ name, pool: { options } }: BoundGroup): string =>
  `rebuild-${name}-${textHash(options.connectionString ?? '').slice(0, 16)}`;

interface Cut {
  readonly partition: number;
  readonly upTo: Cursor;
  readonly digest: string | undefined;
}

/** Where the live version is; the head where that has nothing of the log. */
async function cutsOf(group: BoundGroup, live: LivePosition, partitions: readonly number[]): Promise<readonly Cut[]> {
  const at = await readCursors(group.pool, { group: group.name, version: live.version });
  return Promise.all(
    partitions.map(async (partition) => {
      const found = live.isBegun ? at.get(partition) : undefined;
      const upTo = found?.cursor ?? (await group.log.head(partition));
      const digest = found?.digest ?? undefined;
      return { partition, upTo, digest: digest && isDigestOf(upTo, digest) ? digest : undefined };
    }),
  );
}

/** With all sizes. */
type Filling = BulkFill & { readonly sizes: BulkSizes };

async function assertRoom(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  if (bavail * bsize < needed)
    throw new NotRebuilt(
      `A rebuild needs about ${gigabytes(needed)} in ${folder}, where ${gigabytes(bavail * bsize)} are free; make room there, or set DATA_DIR.`,
    );
}

/** Spills all hits, several parts of the log at once. */
async function readAll(
  { group, version, mends, onProgress, sizes }: Filling,
  workers: Workers,
  cuts: readonly Cut[],
  { total, expected, folder }: { readonly total: number; readonly expected: number; readonly folder: string },
): Promise<readonly (SpilledRange & { readonly partition: number })[]> {
  const buckets = Math.min(Math.max(Math.ceil(total / sizes.bucket), workers.count), MOST_BUCKETS);
  const spread = await spreadOf(group, { buckets, events: total, bucket: sizes.bucket });
  const epoch = await group.log.epoch();
  const ranges = await Promise.all(
    cuts.map(async (cut) => {
      const { accepted } = await readParkedSet(
        group.pool,
        { group: group.name, version, partition: cut.partition },
        epoch,
      );
      return rangesOf(cut, total / (4 * workers.count), sizes).map((range) => ({ ...range, accepted: [...accepted] }));
    }),
  );
  let done = 0;
  const onEvents = (events: number) => onProgress?.({ stage: 'reading', done: (done += events), total: expected });
  onEvents(0); // its time begins here
  const of = { buckets, spread, version, mends };
  return Promise.all(
    ranges.flat().map(async (range, nth) => {
      const file = join(folder, `range-${nth}`);
      return { ...(await workers.read({ ...range, ...of, file }, onEvents)), partition: range.partition };
    }),
  );
}

/** The parts of a partition of about so many events. */
function rangesOf(
  { partition, upTo }: Cut,
  wanted: number,
  { range: [least, most] }: BulkSizes,
): readonly Pick<Range, 'partition' | 'after' | 'upTo'>[] {
  const end = offsetOf(upTo);
  const size = Math.ceil(Math.min(Math.max(wanted, least), most));
  const starts = Array.from({ length: Math.ceil((end + 1) / size) }, (_, nth) => nth * size - 1);
  return starts.map((after) => ({
    partition,
    after: offsetCursor(after),
    upTo: offsetCursor(Math.min(after + size, end)),
  }));
}

/** Writes all buckets, several at once. */
async function writeAll(
  { group, version, onProgress, sizes: { atOnce } }: Filling,
  workers: Workers,
  ranges: readonly SpilledRange[],
  { expected, folder }: { readonly expected: number; readonly folder: string },
): Promise<void> {
  let done = 0;
  const onEvents = (events: number) => onProgress?.({ stage: 'writing', done: (done += events), total: expected });
  onEvents(0); // its time begins here
  const writing: Promise<void>[] = [];
  for (const [nth, blocks] of visitorBucketBlocks(ranges)) {
    const parts = Math.ceil(blocks.reduce((sum, { size }) => sum + size, 0) / atOnce);
    const some = parts > 1 ? await divided(blocks, parts, join(folder, `bucket-${nth}`)) : [blocks];
    for (const part of some) {
      const written = workers.write({ blocks: part, version }, onEvents);
      written.catch(() => undefined); // it is awaited below
      writing.push(written);
    }
  }
  await Promise.all(writing);
  for (const { changedTexts } of ranges) for (const text of changedTexts) group.dictionary?.changed.set(text.id, text);
}

/** From here on the ordinary runner goes on. */
const advance = (
  { group: { pool, name: group }, version }: BulkFill,
  cuts: readonly Cut[],
  ranges: readonly (SpilledRange & { readonly partition: number })[],
): Promise<void> =>
  transaction(pool, async (client) => {
    await noteFilled(client, { group, version }, 0);
    for (const { partition, upTo: cursor, digest } of cuts) {
      const own = ranges.filter((range) => range.partition === partition);
      const events = own.reduce((sum, range) => sum + range.events, 0);
      const asOf = own.reduce((latest, range) => Math.max(latest, range.asOf), 0);
      const progress = { cursor, digest, events, asOf: events === 0 ? undefined : asOf };
      await advanceCheckpoints(client, { group, version }, [{ partition, ...progress }]);
    }
  });

/** Seals all days of a version that are over, several at once. */
export async function sealInBulk(group: BoundGroup, version: number): Promise<void> {
  const workers = workersFor(group, (await countProjectedEvents(group.pool, group, version)) >= SIZES.threadsFrom);
  try {
    await Promise.all(Array.from({ length: workers.count }, () => workers.seal(schemaOf(group.name, version))));
  } finally {
    await workers.end();
  }
}
