import {
  decodePart,
  EVERY_COLUMN,
  keysOf,
  liveRows,
  NO_KEYS,
  type PackedPart,
} from '@ledgerline/aggregation/aggregation';
import {
  KEY_BYTES,
  type SessionChunk,
  sessionDayStates,
  sessionParts,
  type Unit,
  UNIT_FIELDS,
  UNITS,
} from '@ledgerline/contracts/read-models/session-days';
import type { DayWindow } from '@ledgerline/contracts/sessions/local-session';
import { dayName } from '@ledgerline/domain/time/zones';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { endOf } from '../sealing/packed-rows';
import { piecesOfDay } from '../sealing/seal-days';
import {
  keysAt,
  type ListedPart,
  listParts,
  readKeyed,
  readListedKeys,
  readPart,
  type SealableDay,
} from '../sealing/stored-parts';
import type { TableDifference } from './findings';

/** A text of everything that a session has, by its key in hex digits. */
type Contents = Map<string, string>;

/**
 * Compares the parts of the open days of a website that are of use, less the sessions that have changed since, with the
 * sessions themselves.
 */
export async function compareParts(
  on: Queryable,
  schema: string,
  website: number,
  { since, until }: DayWindow,
): Promise<readonly TableDifference[]> {
  const days = await run<{ day: number }>(
    on,
    sql`select distinct day - '1970-01-01'::date as day from ${identifier(schema, sessionParts.name)}
      join ${identifier(schema, sessionDayStates.name)} using (website, day)
      where website = ${website} and not is_sealed and unlisted = parts_of order by 1`,
  );
  const differences: TableDifference[] = [];
  for (const { day } of days.filter((each) => each.day >= since && each.day <= until))
    differences.push(...(await compareDay(on, { schema, website, day })));
  return differences;
}

async function compareDay(on: Queryable, of: SealableDay): Promise<readonly TableDifference[]> {
  const listed = await readListedKeys(on, of);
  const changed = new Set(hexKeys(listed));
  const difference = { table: sessionParts.name, day: of.day };
  let packed: Contents;
  try {
    packed = await packedContents(on, of, listed);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const found = { parts: 'cannot be read' };
    return [{ ...difference, missing: 0, extra: 0, changed: 1, expected: { day: dayName(of.day) }, found }];
  }
  const counts = { missing: 0, changed: 0 };
  for await (const { chunk, keys } of readKeyed(on, of, await piecesOfDay(on, of))) {
    for (const [key, content] of contentsOf(chunk, keys)) {
      if (changed.has(key)) continue;
      const found = packed.get(key);
      if (found === undefined) counts.missing++;
      else if (found !== content) counts.changed++;
      packed.delete(key);
    }
  }
  const extra = packed.size;
  if (counts.missing + counts.changed + extra === 0) return [];
  const expected = { sessions: 'those of the day' };
  return [{ ...difference, ...counts, extra, expected, found: { ...counts, extra } }];
}

async function packedContents(on: Queryable, of: SealableDay, changed: Uint8Array): Promise<Contents> {
  const parts: (PackedPart & Pick<ListedPart, 'lastAt'>)[] = [];
  for (const part of await listParts(on, of)) parts.push({ ...(await readPart(on, of, part)), lastAt: part.lastAt });
  const [, ...live] = liveRows([{ keys: changed, gone: NO_KEYS }, ...parts.map(keysOf)]);
  const contents: Contents = new Map();
  const pause = yieldToEventLoop();
  for (const [nth, part] of parts.entries()) {
    if (endOf(decodePart(part, of.day)) !== part.lastAt)
      throw new RangeError('A part has sessions that end at another time.');
    const places = live[nth] ?? new Int32Array();
    const own = contentsOf(decodePart(part, of.day, places), keysAt(keysOf(part).keys, places));
    for (const [key, content] of own) contents.set(key, content);
    await pause();
  }
  return contents;
}

function* contentsOf(chunk: SessionChunk, keys: Uint8Array): Iterable<readonly [string, string]> {
  const names = hexKeys(keys);
  const fields = EVERY_COLUMN.fields.map((name) => chunk.field(name));
  const units = UNITS.map((name) => unitsBySession(chunk, name));
  for (let place = 0; place < chunk.size; place++) {
    const numbers = fields.map((values) => values[place]);
    yield [names[place] ?? '', [numbers, ...units.map((next) => next())].join(' ')];
  }
}

/** Answers the numbers of one session's units after the other's. */
function unitsBySession(chunk: SessionChunk, name: Unit): () => string {
  const { counts, field } = chunk.unit(name);
  const columns = UNIT_FIELDS[name].map(field);
  let place = 0;
  let from = 0;
  return () => {
    const to = from + (counts[place++] ?? 0);
    const own = columns.map((values) => values.subarray(from, to).join());
    from = to;
    return own.join(';');
  };
}

const hexKeys = (keys: Uint8Array): readonly string[] => {
  const hex = Buffer.from(keys).toString('hex');
  return Array.from({ length: keys.length / KEY_BYTES }, (_, nth) =>
    hex.slice(2 * KEY_BYTES * nth, 2 * KEY_BYTES * (nth + 1)),
  );
};
