import {
  chunkOf,
  encodePart,
  EVERY_COLUMN,
  joinedChunks,
  keysOfSlice,
  NO_KEYS,
  type PackedPart,
  type PartColumn,
  type PartKeys,
} from '@ledgerline/aggregation/aggregation';
import {
  KEY_BYTES,
  PART_COLUMNS,
  type SessionChunk,
  SESSION_FIELDS,
  sessionChanges,
  sessionDayStates,
  sessionParts,
  UNITS,
} from '@ledgerline/contracts/read-models/session-days';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { append } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, joinSql, type Sql, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { listedKeys, readSessionSlices } from '@ledgerline/platform/session-days/read-session-slices';
import { endOf } from './packed-rows';

/** A day of a website, in the tables of one version. */
export interface SealableDay {
  readonly schema: string;
  /** Text id. */
  readonly website: number;
  /** Days since 1970-01-01. */
  readonly day: number;
}

const COLUMNS: readonly PartColumn[] = [...PART_COLUMNS, ...SESSION_FIELDS, ...UNITS];

/** A part of a day, without its bytes. */
export interface ListedPart {
  /** A bigint. */
  readonly number: string;
  readonly size: number;
  /** Epoch ms. */
  readonly lastAt: number;
}

const isOfDay = ({ website, day }: SealableDay): Sql =>
  sql`website = ${website} and day = '1970-01-01'::date + ${day}::integer`;

const rowsOf = (of: SealableDay, { name }: { readonly name: string }): Sql =>
  sql`${identifier(of.schema, name)} where ${isOfDay(of)}`;

/** Counts how many changes of an open day are not listed; undefined if it is not open. */
export async function countUnlisted(on: Queryable, of: SealableDay): Promise<number | undefined> {
  const [state] = await run<{ unlisted: number }>(
    on,
    sql`select unlisted from ${rowsOf(of, sessionDayStates)} and not is_sealed`,
  );
  return state?.unlisted;
}

/** The newest one first. */
export const listParts = (on: Queryable, of: SealableDay): Promise<readonly ListedPart[]> =>
  run<ListedPart>(
    on,
    sql`select number::text, size, (extract(epoch from last_at) * 1000)::float8 as "lastAt" from ${rowsOf(of, sessionParts)} order by ${identifier(sessionParts.name, 'number')} desc`,
  );

export async function readPart(on: Queryable, of: SealableDay, { number, size }: ListedPart): Promise<PackedPart> {
  const values = COLUMNS.map((name) => sql`coalesce(${identifier(name)}, '\\x00') as ${identifier(name)}`);
  const [row] = await run<Record<PartColumn, Uint8Array>>(
    on,
    sql`select ${joinSql(values, ', ')} from ${rowsOf(of, sessionParts)} and number = ${number}::bigint`,
  );
  if (!row) throw new PartsChanged();
  return { size, columns: new Map(COLUMNS.map((name) => [name, row[name]])) };
}

/** The parts and changes that were read of a day before it is packed. */
export interface DayAsPacked {
  readonly parts: readonly ListedPart[];
  /** The rows of `session_changes`. */
  readonly listed: readonly string[];
  readonly unlisted: number;
}

export async function readListed(on: Queryable, of: SealableDay): Promise<readonly string[]> {
  const rows = await run<{ number: string }>(on, sql`select number::text from ${rowsOf(of, sessionChanges)}`);
  return rows.map(({ number }) => number);
}

export interface EncodedPart {
  readonly size: number;
  /** No event of its sessions is later, epoch ms. */
  readonly lastAt: number;
  readonly columns: ReadonlyMap<PartColumn, Uint8Array | null>;
}

/** Some sessions of a day as a part, all in one. */
export async function encodedPart(chunks: readonly SessionChunk[], day: number, keys: PartKeys): Promise<EncodedPart> {
  const columns = new Map<PartColumn, Uint8Array | null>();
  const joined = joinedChunks(chunks);
  const pause = yieldToEventLoop();
  for (const [name, bytes] of encodePart(joined, day, keys)) {
    columns.set(name, bytes);
    await pause();
  }
  return { size: joined.size, lastAt: endOf(joined), columns };
}

/** Returns of keys one after another those at these places. */
export const keysAt = (keys: Uint8Array, places: ArrayLike<number>): Uint8Array =>
  Buffer.concat(Array.from(places, (place) => keys.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES)));

/** The tables that a day is in. */
export const tableIn =
  ({ schema }: SealableDay) =>
  ({ name }: { readonly name: string }): Sql =>
    identifier(schema, name);

/** A condition on a row `c` of `session_changes`. */
export const dayChangesSql = ({ website, day }: SealableDay): Sql =>
  sql`c.website = ${website} and c.day = '1970-01-01'::date + ${day}::integer`;

/** The keys of all sessions that are listed as changed. */
export async function readListedKeys(on: Queryable, of: SealableDay): Promise<Uint8Array> {
  const keys = listedKeys(tableIn(of), dayChangesSql(of));
  const [row] = await run<{ keys: Buffer }>(
    on,
    sql`select coalesce(string_agg(distinct k.key, ''::bytea), '') as keys from (${keys}) k`,
  );
  return row?.keys ?? NO_KEYS;
}

/** Some sessions, with their keys in the same order. */
export interface KeyedSessions {
  readonly chunk: SessionChunk;
  readonly keys: Uint8Array;
}

/** The sessions of the table for which one of these conditions holds. */
export async function* readKeyed(on: Queryable, of: SealableDay, wheres: readonly Sql[]): AsyncIterable<KeyedSessions> {
  const table = tableIn(of);
  const { website } = of;
  const pause = yieldToEventLoop();
  for (const where of wheres) {
    for (const slice of await readSessionSlices(on, { table, website, where }, { ...EVERY_COLUMN, keys: true })) {
      yield { chunk: chunkOf(slice, EVERY_COLUMN), keys: keysOfSlice(slice) };
      await pause();
    }
  }
}

/** The part that is written instead of some parts and listed changes. */
interface Packed {
  readonly instead: readonly ListedPart[];
  /** The oldest one first. */
  readonly parts: readonly EncodedPart[];
}

/**
 * Writes parts of a day, inside a transaction in which each statement sees what others have committed.
 * @throws PartsChanged if the day is not as it was read: another process was faster, or all of it has changed
 */
export async function storeDayParts(on: Queryable, of: SealableDay, read: DayAsPacked, packed: Packed): Promise<void> {
  const lock = sql`select pg_advisory_xact_lock(hashtext(${`ledgerline parts ${of.schema} ${of.website}`}), ${of.day})`;
  await run(on, lock);
  const parts = await listParts(on, of);
  if (numbersOf(parts).join() !== numbersOf(read.parts).join()) throw new PartsChanged();
  let last = parts.reduce((most, { number }) => Math.max(most, Number(number)), numberNow());
  for (const { size, lastAt, columns } of packed.parts) {
    const row = { website: of.website, day: of.day, number: ++last, size, last_at: lastAt };
    await run(on, append(of.schema, sessionParts, [{ ...row, ...Object.fromEntries([...columns].map(inHex)) }]));
  }
  const [open] = await run(
    on,
    sql`update ${identifier(of.schema, sessionDayStates.name)} set parts_of = unlisted
      where ${isOfDay(of)} and not is_sealed and unlisted = ${read.unlisted} returning day`,
  );
  if (!open) throw new PartsChanged();
  await deleteNumbered(on, of, sessionChanges, read.listed);
  await deleteNumbered(on, of, sessionParts, numbersOf(packed.instead));
}

const numbersOf = (parts: readonly ListedPart[]): readonly string[] => parts.map(({ number }) => number);

/** Begins the transaction. A crash leaves the day as it was. */
export const WRITE_PARTS = 'begin; set local synchronous_commit = off';

/** Takes back what was written. */
export class PartsChanged extends Error {}

/** Greater than those of earlier ones, and with a random part, so that bytes in caches never have the number of others. */
const numberNow = (): number => Date.now() * 1024 + Math.floor(Math.random() * 1024);

const inHex = ([name, bytes]: readonly [PartColumn, Uint8Array | null]) =>
  [name, bytes && Buffer.from(bytes).toString('hex')] as const;

async function deleteNumbered(
  on: Queryable,
  of: SealableDay,
  model: { readonly name: string },
  numbers: readonly string[],
): Promise<void> {
  const deleted = await run(
    on,
    sql`delete from ${rowsOf(of, model)} and number = any(${[...numbers]}::bigint[]) returning day`,
  );
  if (deleted.length < numbers.length) throw new PartsChanged();
}

/** To be called when a day has rows of `session_days`, or none of its sessions is listed any more. */
export const dropParts = (of: SealableDay): readonly Sql[] =>
  [sessionParts, sessionChanges].map((model) => sql`delete from ${rowsOf(of, model)}`);
