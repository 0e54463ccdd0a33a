import { ALL_ZERO } from '@ledgerline/aggregation/integer-column';
import { decodeSessions, type PackedColumn } from '@ledgerline/aggregation/session-day';
import { chunkOf, EVERY_COLUMN } from '@ledgerline/aggregation/session-slice';
import { SESSION_FIELDS, type SessionChunk, UNITS, UNIT_FIELDS } from '@ledgerline/contracts/read-models/session-days';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { readSessionSlices } from '@ledgerline/platform/session-days/read-session-slices';

type PlainSession = Readonly<Record<string, unknown>>;

export const PACKED_COLUMNS: readonly PackedColumn[] = [...SESSION_FIELDS, ...UNITS];

/** Each session as one object. */
export function rowsOf({ size, field, unit: unitOf }: SessionChunk): readonly PlainSession[] {
  const starts = new Map(UNITS.map((unit) => [unit, 0]));
  return Array.from({ length: size }, (_, place) => {
    const own = UNITS.map((unit) => {
      const columns = unitOf(unit);
      const start = starts.get(unit) ?? 0;
      const count = columns.counts[place] ?? 0;
      starts.set(unit, start + count);
      const rowAt = (at: number) => UNIT_FIELDS[unit].map((name) => columns.field(name)[at]);
      return [unit, Array.from({ length: count }, (__, nth) => rowAt(start + nth))] as const;
    });
    const values = EVERY_COLUMN.fields.map((name) => [name, field(name)[place]] as const);
    return Object.fromEntries([...values, ...own]) as PlainSession;
  });
}

/** In an order that depends on the sessions alone. */
export const sorted = (rows: readonly PlainSession[]): readonly string[] =>
  rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();

/** The sessions of a website from the tables. */
export async function storedSessions(on: Queryable, schema: string, website: number, where: Sql = emptySql) {
  const table = ({ name }: { name: string }) => identifier(schema, name);
  const slices = await readSessionSlices(on, { table, website, where }, EVERY_COLUMN);
  return slices.flatMap((slice) => rowsOf(chunkOf(slice, EVERY_COLUMN)));
}

type Row = Readonly<Record<'size' | 'day', number>>;

/** The sessions of one row. */
export function decodeRow(
  { size, day }: Row,
  bytes: (name: PackedColumn) => Uint8Array | null | undefined,
): SessionChunk {
  const rows = { size: Int32Array.of(size), day: Int32Array.of(day) };
  const columns = new Map(PACKED_COLUMNS.map((name) => [name, bytes(name) ?? ALL_ZERO]));
  return decodeSessions(rows, [{ from: 0, to: 1, columns }]);
}

/** The sessions of a website from its sealed days, and from the tables where a day is open. */
export async function sealedAndOpenSessions(on: Queryable, schema: string, website: number) {
  const rows = await run<Row & Record<PackedColumn, Buffer | null>>(
    on,
    sql`select *, day - '1970-01-01'::date as day from ${identifier(schema, 'session_days')} where website = ${website}`,
  );
  const sealed = rows.flatMap((row) => rowsOf(decodeRow(row, (name) => row[name])));
  const open = await storedSessions(
    on,
    schema,
    website,
    sql` and exists (
      select from ${identifier(schema, 'session_day_states')} state where not is_sealed
        and state.website = s.website and state.day = (s.first_at at time zone 'UTC')::date)`,
  );
  return { sealed, open };
}
