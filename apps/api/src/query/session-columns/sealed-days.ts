import { createHash } from 'node:crypto';
import {
  alternativesOf,
  type PackedColumn,
  type SessionDayRows,
  type ValueFilter,
} from '@ledgerline/aggregation/aggregation';
import { readIntegers, readWords, type BinaryColumns } from '@ledgerline/contracts/read-models/binary-format';
import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { instant, bigints, identifier, integers, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../declaration/query-context';
import { conditionsFor } from '../sql/sessions';
import {
  type ColumnCache,
  type CachedColumnPart,
  beginsOf,
  joinParts,
  selectPartSql,
  readThrough,
} from './column-cache';

export type Selecting = Pick<QueryContext, 'table' | 'website' | 'targetId' | 'filters' | 'from' | 'to'>;

/** Consecutive rows of whole days, whose bytes are read and kept together. */
interface Piece {
  /** The first of the rows: those from it up to this one, excluded. */
  readonly from: number;
  readonly to: number;
  readonly firstDay: number;
  readonly lastDay: number;
  /** The key of its content: the versions of its rows. */
  readonly key: string;
}

export interface SealedDays {
  /** All that are sealed, whether rows of them are wanted or not. */
  readonly days: Int32Array;
  /** In the order of their keys. */
  readonly rows: SessionDayRows;
  readonly pieces: readonly Piece[];
  /** The number of sessions in the rows. */
  readonly sessions: number;
}

/** The rows of sealed days with sessions that may be selected; in a row others may be beside them. */
export async function listSealedDays(on: Queryable, selecting: Selecting): Promise<SealedDays> {
  const [found] = await run<BinaryColumns>(on, listSql(selecting));
  const read = (name: string) => readIntegers(found?.[name]);
  const rows = { day: read('day'), size: read('size') };
  const numbers = read('number');
  const pieces = piecesOf({ ...rows, numbers, versions: readWords(found?.['version']) }, selecting.targetId);
  return { days: read('sealed'), rows, pieces, sessions: rows.size.reduce((sum, size) => sum + size, 0) };
}

const DAY = sql`(d.day - '1970-01-01'::date)`;

/** TRICKY: aggregated in the order of the subquery. */
const listSql = (selecting: Selecting): Sql => sql`
select ${integers(DAY)} as day, ${integers(sql`d.number`)} as number, ${integers(sql`d.size`)} as size,
  ${bigints(sql`d.version`)} as version, (
    select ${integers(DAY, sql` order by d.day`)} from ${selecting.table(sessionDayStates)} d
    where d.website = ${selecting.website} and d.is_sealed
  ) as sealed
from (
  select d.* from ${selecting.table(sessionDays)} d where ${isWanted(selecting)} order by d.day, d.number
) d`;

/** Conditions on a row `d`: it may have sessions that are in the range, and of countries and devices that pass the filters. */
function isWanted({ website, filters, from, to }: Selecting): Sql {
  const conditions = conditionsFor(filtersOnSorted(filters), hasPassing);
  return sql`d.website = ${website} and d.last_at >= ${instant(from)}
    and d.day <= (${instant(to - 1)} at time zone 'UTC')::date${conditions}`;
}

/** The columns of a row that have all values of its sessions, by attribute. */
const VALUES_OF: Readonly<Record<string, string>> = { country: 'countries', device_type: 'device_types' };

function hasPassing({ field, values, negated }: ValueFilter): Sql {
  const column = identifier('d', VALUES_OF[field] ?? field);
  return negated ? sql`not ${column} <@ ${values}::int[]` : sql`${column} && ${values}::int[]`;
}

/** Returns the filters that the country and the device of a session decide. */
export const filtersOnSorted = (filters: Selecting['filters']): Selecting['filters'] =>
  filters.filter((filter) => alternativesOf(filter).every(({ field }) => field in VALUES_OF));

/** So many sessions at least make a piece, unless its days are over: small websites have few a day. */
const LEAST_SESSIONS = 16_384;
/** Pieces end with these numbers of days, so that a range which begins a day later has the same ones. */
const MOST_DAYS = 8;

interface ListedRows extends SessionDayRows {
  readonly numbers: Int32Array;
  readonly versions: Int32Array;
}

function piecesOf({ day, size, numbers, versions }: ListedRows, website: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let sessions = 0;
  for (let to = 1; to <= day.length; to++) {
    sessions += size[to - 1] ?? 0;
    const last = day[to - 1] ?? 0;
    const next = day[to];
    const isFull = sessions >= LEAST_SESSIONS || Math.floor((next ?? 0) / MOST_DAYS) > Math.floor(last / MOST_DAYS);
    if (next !== undefined && (next === last || !isFull)) continue;
    const key = createHash('sha1');
    for (const values of [day, numbers]) key.update(values.subarray(from, to));
    key.update(versions.subarray(2 * from, 2 * to));
    pieces.push({ from, to, firstDay: day[from] ?? 0, lastDay: last, key: `${website} ${key.digest('base64')}` });
    from = to;
    sessions = 0;
  }
  return pieces;
}

/** A piece with the bytes of columns, in memory that threads share. */
interface ReadPiece extends Piece {
  readonly columns: Map<PackedColumn, Uint8Array>;
}

/** The pieces with these columns. */
export async function readColumns(
  on: Queryable,
  selecting: Selecting,
  pieces: readonly Piece[],
  { columns, cache }: { readonly columns: readonly PackedColumn[]; readonly cache: ColumnCache },
): Promise<readonly ReadPiece[]> {
  const read = pieces.map((piece): ReadPiece => ({ ...piece, columns: new Map() }));
  const wanted = read.flatMap((piece) => columns.map((column) => ({ key: piece.key, piece, column })));
  const found = await readThrough(cache, wanted, async (lacking) => {
    const bytesOf = new Map<ReadPiece, (column: PackedColumn) => Uint8Array | undefined>();
    for (const { missing, some } of readTogether(lacking)) {
      const rows = await run<ColumnPart>(on, columnsSql(selecting, some, missing));
      const joined = await joinParts(rows, ({ piece, name }) => `${piece} ${name}`);
      for (const [nth, piece] of some.entries()) bytesOf.set(piece, (column) => joined.get(`${nth} ${column}`));
    }
    return ({ piece, column }) => bytesOf.get(piece)?.(column);
  });
  for (const [{ piece, column }, bytes] of found) piece.columns.set(column, bytes);
  return read;
}

/** The pieces that lack the same columns. */
function readTogether(lacking: readonly { readonly piece: ReadPiece; readonly column: PackedColumn }[]) {
  const byPiece = new Map<ReadPiece, PackedColumn[]>();
  for (const { piece, column } of lacking) byPiece.set(piece, [...(byPiece.get(piece) ?? []), column]);
  const groups = new Map<string, { readonly missing: readonly PackedColumn[]; readonly some: ReadPiece[] }>();
  for (const [piece, missing] of byPiece) {
    const group = groups.get(missing.join()) ?? { missing, some: [] };
    groups.set(missing.join(), group);
    group.some.push(piece);
  }
  return groups.values();
}

interface ColumnPart extends CachedColumnPart {
  /** Number of the piece. */
  readonly piece: number;
  readonly name: PackedColumn;
}

/** A null column is a byte 0 for each row. */
function columnsSql(selecting: Selecting, pieces: readonly Piece[], columns: readonly PackedColumn[]): Sql {
  const packed = columns.map((column) => {
    const name = identifier('d', column);
    return sql`string_agg(coalesce(${name}, '\\x00'::bytea), ''::bytea order by d.day, d.number) as ${identifier(column)}`;
  });
  const named = columns.map((column) => sql`(${column}::text, ${identifier(column)})`);
  return sql`
with packed as materialized (
  select p.piece, ${joinSql(packed, ', ')}
  from unnest(${pieces.map(({ firstDay }) => firstDay)}::int[], ${pieces.map(({ lastDay }) => lastDay)}::int[])
    with ordinality as p(first_day, last_day, piece)
  join ${selecting.table(sessionDays)} d
    on d.day between '1970-01-01'::date + p.first_day and '1970-01-01'::date + p.last_day
  where ${isWanted(selecting)}
  group by p.piece
)
select (piece - 1)::int as piece, c.name, ${selectPartSql(sql`c.bytes`)}
from packed, lateral (values ${joinSql(named, ', ')}) as c(name, bytes), ${beginsOf(sql`c.bytes`)}`;
}
