import type { Pool, PoolClient } from 'pg';
import { decodePart, keysOf, liveRows, NO_KEYS, type PackedPart } from '@ledgerline/aggregation/aggregation';
import {
  type SessionChunk,
  sessionChanges,
  sessionDayStates,
  sessionParts,
} from '@ledgerline/contracts/read-models/session-days';
import { isCanceled, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { transaction, type Queryable, run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { isListed } from '@ledgerline/platform/session-days/read-session-slices';
import { firstPackedDay } from '../projections/websites/changed-days';
import { piecesOfDay, sealAll } from './seal-days';
import {
  countUnlisted,
  type DayAsPacked,
  encodedPart,
  keysAt,
  type ListedPart,
  listParts,
  readPart,
  type SealableDay,
  WRITE_PARTS,
  storeDayParts,
  dayChangesSql,
  type EncodedPart,
  type KeyedSessions,
  PartsChanged,
  readKeyed,
  readListed,
  readListedKeys,
  tableIn,
} from './stored-parts';

/** When sessions of open days are packed, and their parts merged; in sessions. */
interface PartsRule {
  /** So many have changed since. Parts of up to so many are of the first tier; of each further one, of `ofTier` times as many. */
  readonly least: number;
  /** A part that is not smaller is left alone. */
  readonly largest: number;
  /** So many of the newest parts that are smaller than the next tier are merged. */
  readonly ofTier: number;
}

/** A session is packed again about as often as there are tiers. */
const RULE: PartsRule = { least: 512, largest: 32_768, ofTier: 8 };

interface PartsPass {
  readonly pool: Pool;
  readonly schema: string;
  readonly rule?: PartsRule;
  /** The first day, since 1970-01-01. */
  readonly since?: number;
  readonly signal?: AbortSignal;
}

interface PartsResult {
  readonly packed: number;
  readonly failed: number;
  /** The error of the first day that failed. */
  readonly error: unknown;
}

/**
 * Packs what has changed of the sessions of open days into parts, and merges parts. Nothing waits for it. A day that
 * another process packs, or that changes as a whole meanwhile, is left to the next pass.
 * @throws when the database is unavailable
 */
export async function packParts({ pool, schema, signal, ...pass }: PartsPass): Promise<PartsResult> {
  const { rule = RULE, since = firstPackedDay() } = pass;
  const count = { packed: 0, failed: 0 };
  let error: unknown;
  for (const { isWhole, ...of } of await findDays(pool, schema, rule, since)) {
    if (signal?.aborted) break;
    try {
      await packChanges(pool, of, rule, isWhole);
      await mergeParts(pool, of, rule);
      count.packed++;
    } catch (failure) {
      if (failure instanceof PartsChanged) continue;
      if (isUnavailable(failure) && !isCanceled(failure)) throw failure;
      count.failed++;
      error ??= failure;
    }
  }
  return { ...count, error };
}

/**
 * Seals all days of a version that are over, and packs the sessions of open ones, so that no question becomes slower by a
 * switch. @throws if a day fails
 */
export async function packEveryDay(pool: Pool, schema: string): Promise<void> {
  await sealAll(pool, schema);
  const { failed, error } = await packParts({ pool, schema });
  if (failed > 0) throw new Error(`The sessions of ${failed} open days could not be packed`, { cause: error });
}

interface FoundDay extends SealableDay {
  /** Its parts, if there are any, are of no use. */
  readonly isWhole: boolean;
}

/** Finds the days of whose sessions enough have changed, or it is not known which. */
const findDays = (on: Queryable, schema: string, { least }: PartsRule, since: number): Promise<readonly FoundDay[]> =>
  run<FoundDay>(
    on,
    sql`select ${schema}::text as schema, website, s.day - '1970-01-01'::date as day,
        s.unlisted <> s.parts_of or not exists (
          select from ${identifier(schema, sessionParts.name)} p where p.website = s.website and p.day = s.day
        ) as "isWhole"
      from ${identifier(schema, sessionDayStates.name)} s left join (
        select website, day, sum(size) as listed from ${identifier(schema, sessionChanges.name)}
        where day >= '1970-01-01'::date + ${since}::integer group by website, day
      ) c using (website, day)
      where not s.is_sealed and s.day >= '1970-01-01'::date + ${since}::integer
        and (s.unlisted <> s.parts_of or c.listed >= ${least})
      order by s.day desc, website`,
  );

/** One snapshot for what is listed and the sessions. */
const READ = 'begin isolation level repeatable read read only';
/** TRICKY: without nested loops, which Postgres chooses for a day that it expects to be empty, as statistics are older. */
const READ_WHOLE = `${READ}; set local enable_nestloop = off`;

interface ReadDay extends DayAsPacked {
  readonly chunks: readonly KeyedSessions[];
  readonly gone: Uint8Array;
}

async function packChanges(pool: Pool, of: SealableDay, rule: PartsRule, isWhole: boolean): Promise<void> {
  const read = await transaction(pool, (client) => readDay(client, of, isWhole), isWhole ? READ_WHOLE : READ);
  const parts: EncodedPart[] = [];
  for (const some of portionsOf(read.chunks, rule.largest)) {
    const keys = Buffer.concat(some.map((each) => each.keys));
    const gone = parts.length === 0 ? read.gone : NO_KEYS;
    parts.push(
      await encodedPart(
        some.map(({ chunk }) => chunk),
        of.day,
        { keys, gone },
      ),
    );
  }
  const packed = { instead: isWhole ? read.parts : [], parts };
  await transaction(pool, (client) => storeDayParts(client, of, read, packed), WRITE_PARTS);
}

async function readDay(client: Queryable, of: SealableDay, isWhole: boolean): Promise<ReadDay> {
  const unlisted = await countUnlisted(client, of);
  if (unlisted === undefined) throw new PartsChanged();
  const wheres = isWhole ? await piecesOfDay(client, of) : [isListed(tableIn(of), dayChangesSql(of))];
  const chunks: KeyedSessions[] = [];
  for await (const chunk of readKeyed(client, of, wheres)) chunks.push(chunk);
  return {
    parts: await listParts(client, of),
    listed: await readListed(client, of),
    unlisted,
    chunks,
    gone: isWhole ? NO_KEYS : without(await readListedKeys(client, of), chunks),
  };
}

/** The keys that none of these sessions has. */
function without(keys: Uint8Array, chunks: readonly KeyedSessions[]): Uint8Array {
  const present = { keys: Buffer.concat(chunks.map((each) => each.keys)), gone: NO_KEYS };
  const [, places = []] = liveRows([present, { keys, gone: NO_KEYS }]);
  return keysAt(keys, places);
}

/** One at least, as sessions may be gone where none has come. */
function* portionsOf(chunks: readonly KeyedSessions[], largest: number): Iterable<readonly KeyedSessions[]> {
  let portion: KeyedSessions[] = [];
  let size = 0;
  for (const each of chunks) {
    portion.push(each);
    size += each.chunk.size;
    if (size < largest) continue;
    yield portion;
    portion = [];
    size = 0;
  }
  if (portion.length > 0 || chunks.length === 0) yield portion;
}

/** Merges the newest parts of a day, if they are many. */
async function mergeParts(pool: Pool, of: SealableDay, rule: PartsRule): Promise<void> {
  const read = await transaction(pool, (client) => readParts(client, of, rule), READ);
  if (!read) return;
  const { some, parts } = read;
  const live = liveRows(some.map(keysOf));
  const chunks: SessionChunk[] = [];
  const keys: Uint8Array[] = [];
  const gone: Uint8Array[] = [];
  for (const [nth, part] of some.entries()) {
    const places = live[nth] ?? new Int32Array();
    const own = keysOf(part);
    chunks.push(decodePart(part, of.day, places));
    keys.push(keysAt(own.keys, places));
    gone.push(own.gone);
  }
  const isOldest = some.length === parts.length;
  const all = { keys: Buffer.concat(keys), gone: isOldest ? NO_KEYS : Buffer.concat(gone) };
  const packed = { instead: parts.slice(0, some.length), parts: [await encodedPart(chunks, of.day, all)] };
  await transaction(pool, (client) => storeDayParts(client, of, read, packed), WRITE_PARTS);
}

async function readParts(
  client: PoolClient,
  of: SealableDay,
  rule: PartsRule,
): Promise<(DayAsPacked & { readonly some: readonly PackedPart[] }) | undefined> {
  const parts = await listParts(client, of);
  const chosen = newestToMerge(parts, rule);
  if (chosen.length === 0) return undefined;
  const unlisted = await countUnlisted(client, of);
  if (unlisted === undefined) return undefined;
  const some: PackedPart[] = [];
  for (const part of chosen) some.push(await readPart(client, of, part));
  return { parts, listed: [], unlisted, some };
}

/** The parts of the highest tier of which there are enough, with all that are smaller. */
function newestToMerge(parts: readonly ListedPart[], { least, largest, ofTier }: PartsRule): readonly ListedPart[] {
  for (let below = largest; below > least; below /= ofTier) {
    const end = parts.findIndex(({ size }) => size >= below);
    const some = end < 0 ? parts : parts.slice(0, end);
    if (some.length >= ofTier) return some;
  }
  return [];
}
