import { LRUCache } from 'lru-cache';
import { sessionDays } from '@ledgerline/contracts/read-models/session-days';
import type { PackedColumn } from '@ledgerline/domain/session-days/session-day';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
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
      const bytes = cache.get(piece, column);
      if (bytes) piece.columns.set(column, bytes);
      return !bytes;
    });
    const together = lacking.get(missing.join());
    if (together) together.some.push(piece);
    else if (missing.length > 0) lacking.set(missing.join(), { missing, some: [piece] });
  }
  for (const { missing, some } of lacking.values()) {
    await joinParts(await run<Part>(on, columnsSql(selecting, some, missing)), some);
    for (const piece of some) {
      for (const [column, bytes] of piece.columns) if (missing.includes(column)) cache.set(piece, column, bytes);
    }
  }
  return read;
}

/** A part of the bytes of a column. */
interface Part {
  /** Number of the piece. */
  readonly piece: number;
  readonly name: PackedColumn;
  /** Of the whole column of the piece. */
  readonly length: number;
  readonly begin: number;
  readonly bytes: string;
}

/** TRICKY: the event loop is held for a part at once, by the driver and here; its bytes are base64, as the driver reads text. */
const PART_BYTES = 192 * 1024;

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
select (piece - 1)::int as piece, c.name, octet_length(c.bytes) as length, begin,
  encode(substr(c.bytes, begin + 1, ${PART_BYTES}::int), 'base64') as bytes
from packed, lateral (values ${joinSql(named, ', ')}) as c(name, bytes),
  generate_series(0, octet_length(c.bytes) - 1, ${PART_BYTES}::int) as begin`;
}

async function joinParts(parts: readonly Part[], pieces: readonly ReadPiece[]): Promise<void> {
  const pause = yieldToEventLoop();
  for (const { piece, name, length, begin, bytes } of parts) {
    const columns = pieces[piece]?.columns;
    const whole = columns?.get(name) ?? new Uint8Array(new SharedArrayBuffer(length));
    whole.set(Buffer.from(bytes, 'base64'), begin);
    columns?.set(name, whole);
    await pause();
  }
}

/** Of an entry beside its bytes: its key and place in the cache. */
const OVERHEAD = 256;
const MIB = 1024 * 1024;

/** The bytes of columns of sealed days, in memory that threads share. A key names the content, so none is ever stale. */
export class ColumnCache {
  private readonly bytes: LRUCache<string, Uint8Array> | undefined;
  hits = 0;
  misses = 0;

  /** @param mib of memory in all; 0 = nothing is kept */
  constructor(mib: number) {
    if (mib === 0) return;
    this.bytes = new LRUCache({ maxSize: mib * MIB, sizeCalculation: ({ byteLength }) => byteLength + OVERHEAD });
  }

  get size(): number {
    return this.bytes?.calculatedSize ?? 0;
  }

  get({ key }: Piece, column: PackedColumn): Uint8Array | undefined {
    const found = this.bytes?.get(`${key} ${column}`);
    if (found) this.hits++;
    else this.misses++;
    return found;
  }

  set({ key }: Piece, column: PackedColumn, bytes: Uint8Array): void {
    this.bytes?.set(`${key} ${column}`, bytes);
  }
}
