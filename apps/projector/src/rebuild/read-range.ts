import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { websiteDays } from '@ledgerline/contracts/read-models/website-facts';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { readLayout, tableVersionOf } from '@ledgerline/platform/table-versions/live-tables';
import { upsertInto } from '../projections/projection-group';
import type { ChangedText, StringInterner } from '../projections/websites/dictionary';
import { type WebsiteHitEvent, isWebsiteEvent, readHit } from '../projections/websites/read-hit';
import { isDueToEvents } from '../runner/batch-reader';
import type { BoundGroup } from '../runner/bound-group';
import { loadRules } from '../runner/erasure-rules';
import { resolveTables } from '../versions/program-tables';
import { type BulkWork, EventRefused } from './bulk-work';
import { type Block, RecordWriter, SpillFile, hashOfRecord, readBlocks, recordAt, recordsIn } from './spill';

/** Into how many buckets hits go. */
interface Division {
  readonly buckets: number;
  /** Over how many of them the visitors of a website are spread, by text id; 1 where it is not named. */
  readonly spread: ReadonlyMap<number, number>;
}

/** The visitors of a small website are in one bucket, so that few rows are kept of it. */
function bucketOf(website: number, hash: number, { buckets, spread }: Division): number {
  const first = Math.imul(website, 0x9e3779b1) >>> 0;
  return (first + (hash % (spread.get(website) ?? 1))) % buckets;
}

/** Over how many buckets each large website is spread, by how many visitors it had. */
export async function spreadOf(
  { pool, name }: BoundGroup,
  { buckets, bucket, events }: { readonly buckets: number; readonly bucket: number; readonly events: number },
): Promise<ReadonlyMap<number, number>> {
  const layout = await readLayout(pool, name);
  if (!layout) return new Map();
  const table = identifier(schemaOf(name, tableVersionOf(layout, websiteDays.name)), websiteDays.name);
  const websites = await run<{ website: number; visitors: number }>(pool, sql`select website, visitors from ${table}`);
  const all = websites.reduce((sum, { visitors }) => sum + visitors, 0);
  const hits = events / Math.max(1, all);
  const spread = websites.map(({ website, visitors }) => [website, Math.ceil((visitors * hits) / bucket)] as const);
  return new Map(
    spread.filter(([, parts]) => parts > 1).map(([website, parts]) => [website, Math.min(parts, buckets)]),
  );
}

/** The blocks of all parts of the log, which are in its order for each visitor. */
export function visitorBucketBlocks(
  ranges: readonly { readonly blocks: ReadonlyMap<number, readonly Block[]> }[],
): ReadonlyMap<number, readonly Block[]> {
  const buckets = new Map<number, Block[]>();
  for (const { blocks } of ranges) {
    for (const [bucket, some] of blocks) {
      const known = buckets.get(bucket);
      if (known) known.push(...some);
      else buckets.set(bucket, [...some]);
    }
  }
  return buckets;
}

/** A bucket as so many of its visitors: it is too large where a website was not known to be that large. */
export async function divided(
  blocks: readonly Block[],
  parts: number,
  file: string,
): Promise<Iterable<readonly Block[]>> {
  const found = await SpillFile.write(file, parts, async (spill) => {
    for await (const bytes of readBlocks(blocks)) {
      for (const at of recordsIn(bytes)) {
        const part = Math.imul(hashOfRecord(bytes, at), 0x9e3779b1) >>> 0; // other bits than those that chose the bucket
        const written = spill.add(part % parts, recordAt(bytes, at));
        if (written) await written;
      }
    }
  });
  return found.values();
}

/** A part of a partition, and where its hits go. */
export interface Range extends Division {
  readonly partition: number;
  readonly after: Cursor;
  /** The last event of it, or one before which it ends. */
  readonly upTo: Cursor;
  /** Events that are left out, as an operator has accepted. */
  readonly accepted: readonly Cursor[];
  /** A file that is made. */
  readonly file: string;
  /** The version that is filled. */
  readonly version: number;
  /** True if changed texts get those of the log. */
  readonly mends: boolean;
}

export interface SpilledRange {
  readonly blocks: ReadonlyMap<number, readonly Block[]>;
  /** The number of events that are projected. */
  readonly events: number;
  /** When the newest of them was logged, epoch ms. */
  readonly asOf: number;
  readonly changedTexts: readonly ChangedText[];
}

const BATCH = 4_000;

/**
 * Reads a part of the log once: texts get their ids, identifications become rows, and hits are spilled by visitor.
 * @throws EventRefused for an event that is not what its type says
 */
export async function readLogRange(
  { log, pool, group }: BulkWork,
  range: Range,
  onEvents: (events: number) => void,
): Promise<SpilledRange> {
  const { partition, upTo } = range;
  const { tables } = await resolveTables(pool, group, range.version);
  const accepted = new Set(range.accepted);
  const erased = await loadRules(pool, group.name);
  const writer = new RecordWriter();
  const { dictionary } = group;
  dictionary.changed.clear();
  dictionary.mends = range.mends;
  let events = 0;
  let asOf = 0;
  const blocks = await SpillFile.write(range.file, range.buckets, async (spill) => {
    let cursor: Cursor = range.after;
    let digest: string | undefined;
    for (let isOver = log.compare(cursor, upTo) >= 0; !isOver;) {
      const options = { max: BATCH, types: group.types, digest };
      const { events: read, next, atHead, digest: after } = await log.read(partition, cursor, options);
      const isIn = (hit: LoggedHit) =>
        log.compare(group.cursorOf(hit), upTo) <= 0 &&
        !accepted.has(group.cursorOf(hit)) &&
        erased.matching(hit.event).length === 0;
      const logged = read.filter(isIn);
      for (const [hit, { data }] of await readHits(group, logged)) {
        const record = writer.record(hit, data);
        const written = spill.add(bucketOf(hit.website, hashOfRecord(record, 0), range), record);
        if (written) await written;
      }
      for (const rows of await naming(group, logged, (some) => group.readProfiles(some)))
        for (const statement of upsertInto(tables, rows.model, rows.values())) await run(pool, statement);
      for (const { event } of logged) asOf = Math.max(asOf, event.receivedAt);
      events += logged.length;
      onEvents(logged.length);
      cursor = next;
      digest = after;
      isOver = atHead || log.compare(next, upTo) >= 0;
    }
  });
  return { blocks, events, asOf, changedTexts: [...dictionary.changed.values()] };
}

function readHits(group: BulkWork['group'], logged: readonly LoggedHit[]) {
  const read = (event: WebsiteHitEvent, strings: StringInterner) => [readHit(event, strings), event] as const;
  return naming(group, logged, (some) =>
    group.dictionary.intern(some.map(({ event }) => event).filter(isWebsiteEvent), read),
  );
}

/** Where one of many events is refused, each is tried alone. */
async function naming<T>(
  group: BulkWork['group'],
  logged: readonly LoggedHit[],
  work: (some: readonly LoggedHit[]) => Promise<T>,
): Promise<T> {
  try {
    return await work(logged);
  } catch (error) {
    if (isDueToEvents(error)) {
      for (const hit of logged) {
        await work([hit]).catch((refused: unknown) => {
          throw isDueToEvents(refused) ? new EventRefused(describe(group, hit), refused) : refused;
        });
      }
    }
    throw error;
  }
}

function describe(group: BulkWork['group'], hit: LoggedHit) {
  const { id, type } = hit.event;
  try {
    return group.describe(hit);
  } catch {
    return { id, type, subject: `offset ${hit.offset}` };
  }
}
