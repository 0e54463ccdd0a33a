import {
  sessionChanges,
  type SessionChunk,
  sessionDayStates,
  sessionParts,
} from '@ledgerline/contracts/read-models/session-days';
import { livePlaces, NOBODY } from '@ledgerline/domain/session-days/session-part';
import { visitsIn } from '@ledgerline/domain/sessions/local-session';
import { isCanceled, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import { identifier, type Sql, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import {
  chunkOf,
  EVERY_COLUMN,
  isListed,
  keysOfSlice,
  listedKeys,
  readSessionSlices,
} from '@ledgerline/platform/session-days/session-chunks';
import type { Pool } from 'pg';
import { mergeParts, type MergeRule } from './merge-parts';
import { piecesOfDay, sealAll } from './seal-days';
import {
  countUnlisted,
  type DayAsPacked,
  encodedPart,
  type EncodedPart,
  keysAt,
  listParts,
  PartsChanged,
  readListed,
  type SealableDay,
  WRITE_PARTS,
  writeParts,
} from './stored-parts';

/** When sessions of open days are packed. */
export interface PartsRule extends MergeRule {
  /** So many sessions have changed since. */
  readonly least: number;
}

/** A session is packed again about as often as there are tiers. */
const RULE: PartsRule = { least: 512, largest: 32_768, ofTier: 8 };

/** The days of a version that are packed while they are open: older ones are sealed when they have been quiet for a while. */
const DAYS_BEFORE_TODAY = 1;
const DAY_MS = 86_400_000;

export interface PartsPass {
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
  /** Of the first day that failed. */
  readonly error: unknown;
}

/**
 * Packs what has changed of the sessions of open days into parts, and merges parts. Nothing waits for it. A day that
 * another process packs, or that changes as a whole meanwhile, is left to the next pass.
 * @throws when the database is unavailable
 */
export async function packParts({ pool, schema, signal, ...pass }: PartsPass): Promise<PartsResult> {
  const { rule = RULE, since = Math.floor(Date.now() / DAY_MS) - DAYS_BEFORE_TODAY } = pass;
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

/** Those of whose sessions enough have changed, or it is not known which. */
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

/**
 * One snapshot for what is listed and the sessions.
 * TRICKY: without nested loops, which Postgres chooses for a day that it expects to be empty, as statistics are older.
 */
const [READ, READ_WHOLE] = ['', '; set local enable_nestloop = off'].map(
  (further) => `begin isolation level repeatable read read only${further}`,
) as [string, string];
interface ReadDay extends DayAsPacked {
  readonly chunks: readonly Keyed[];
  readonly gone: Uint8Array;
}

/** Some sessions, with their keys in the same order. */
interface Keyed {
  readonly chunk: SessionChunk;
  readonly keys: Uint8Array;
}

async function packChanges(pool: Pool, of: SealableDay, rule: PartsRule, isWhole: boolean): Promise<void> {
  const read = await transaction(pool, (client) => readDay(client, of, isWhole), isWhole ? READ_WHOLE : READ);
  const parts: EncodedPart[] = [];
  for (const some of portionsOf(read.chunks, rule.largest)) {
    const keys = Buffer.concat(some.map((each) => each.keys));
    const gone = parts.length === 0 ? read.gone : NOBODY;
    parts.push(
      await encodedPart(
        some.map(({ chunk }) => chunk),
        of.day,
        { keys, gone },
      ),
    );
  }
  const packed = { instead: isWhole ? read.parts : [], parts };
  await transaction(pool, (client) => writeParts(client, of, read, packed), WRITE_PARTS);
}

async function readDay(client: Queryable, of: SealableDay, isWhole: boolean): Promise<ReadDay> {
  const { schema, website, day } = of;
  const table = ({ name }: { name: string }) => identifier(schema, name);
  const unlisted = await countUnlisted(client, of);
  if (unlisted === undefined) throw new PartsChanged();
  const ofDay = sql`c.website = ${website} and c.day = '1970-01-01'::date + ${day}::integer`;
  const wheres = isWhole ? await piecesOfDay(client, of) : [isListed(table, ofDay)];
  const chunks = await readChunks(client, { table, website }, wheres);
  const [listed] = isWhole
    ? []
    : await run<{ keys: Buffer }>(
        client,
        sql`select coalesce(string_agg(distinct l.key, ''::bytea), '') as keys from (${listedKeys(table, ofDay)}) l`,
      );
  return {
    ...{ parts: await listParts(client, of), listed: await readListed(client, of), unlisted, chunks },
    gone: without(listed?.keys ?? NOBODY, chunks),
  };
}

async function readChunks(
  client: Queryable,
  some: Omit<Parameters<typeof readSessionSlices>[1], 'where'>,
  wheres: readonly Sql[],
): Promise<readonly Keyed[]> {
  const chunks: Keyed[] = [];
  const pause = yieldToEventLoop();
  for (const where of wheres) {
    for (const slice of await readSessionSlices(client, { ...some, where }, { ...EVERY_COLUMN, keys: true })) {
      chunks.push({ chunk: chunkOf(slice, EVERY_COLUMN, visitsIn), keys: keysOfSlice(slice) });
      await pause();
    }
  }
  return chunks;
}

/** The keys that none of these sessions has. */
function without(keys: Uint8Array, chunks: readonly Keyed[]): Uint8Array {
  const present = { keys: Buffer.concat(chunks.map((each) => each.keys)), gone: NOBODY };
  const [, places = []] = livePlaces([present, { keys, gone: NOBODY }]);
  return keysAt(keys, places);
}

/** One at least, as sessions may be gone where none has come. */
function* portionsOf(chunks: readonly Keyed[], largest: number): Iterable<readonly Keyed[]> {
  let [portion, size]: [Keyed[], number] = [[], 0];
  for (const each of chunks) {
    portion.push(each);
    size += each.chunk.size;
    if (size < largest) continue;
    yield portion;
    [portion, size] = [[], 0];
  }
  if (portion.length > 0 || chunks.length === 0) yield portion;
}
