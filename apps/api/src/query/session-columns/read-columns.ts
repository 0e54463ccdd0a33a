import { sessionDays } from '@ledgerline/contracts/read-models/session-days';
import type { PackedColumn } from '@ledgerline/domain/session-days/session-day';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { ColumnCache } from './column-cache';
import { beginsOf, joinParts, partOf, type Part } from './column-parts';
import { isWanted, type Piece, type Selecting } from './day-rows';

/** A piece with the bytes of columns, in memory that threads share. */
interface ReadPiece extends Piece {
  readonly columns: Map<PackedColumn, Uint8Array>;
}

/** The pieces with these columns: what the cache lacks is read and kept there. */
export async function readColumns(
  on: Queryable,
  selecting: Selecting,
  pieces: readonly Piece[],
  { columns, cache }: { readonly columns: readonly PackedColumn[]; readonly cache: ColumnCache },
): Promise<readonly ReadPiece[]> {
  const read = pieces.map((piece): ReadPiece => ({ ...piece, columns: new Map() }));
  const lacking = new Map<string, { readonly missing: readonly PackedColumn[]; readonly some: ReadPiece[] }>();
  for (const piece of read) {
    const missing = columns.filter((column) => {
      const bytes = cache.get(piece.key, column);
      if (bytes) piece.columns.set(column, bytes);
      return !bytes;
    });
    const together = lacking.get(missing.join());
    if (together) together.some.push(piece);
    else if (missing.length > 0) lacking.set(missing.join(), { missing, some: [piece] });
  }
  for (const { missing, some } of lacking.values()) {
    const parts = await run<ColumnPart>(on, columnsSql(selecting, some, missing));
    const joined = await joinParts(parts, ({ piece, name }) => `${piece} ${name}`);
    for (const [nth, piece] of some.entries()) {
      for (const column of missing) {
        const bytes = joined.get(`${nth} ${column}`);
        if (!bytes) throw new Error(`The column ${column} of sealed days has gone.`);
        piece.columns.set(column, bytes);
        cache.set(piece.key, column, bytes);
      }
    }
  }
  return read;
}

interface ColumnPart extends Part {
  /** Number of the piece. */
  readonly piece: number;
  readonly name: PackedColumn;
}

/** A null column is a byte 0 for each row. */
function columnsSql(selecting: Selecting, pieces: readonly Piece[], columns: readonly PackedColumn[]): Sql {
  const packed = columns.map((column) => {
    const name = identifier('d', column);
    return sql`string_agg(coalesce(${name}, '\\x00'::bytea), ''::bytea order by d.day, d.country, d.device_type) as ${identifier(column)}`;
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
select (piece - 1)::int as piece, c.name, ${partOf(sql`c.bytes`)}
from packed, lateral (values ${joinSql(named, ', ')}) as c(name, bytes), ${beginsOf(sql`c.bytes`)}`;
}
