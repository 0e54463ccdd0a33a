import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';

/** A table that differs between two versions, with the number of rows only one of them has. */
export interface Difference {
  readonly table: string;
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  /** The first of them. */
  readonly rows: readonly DifferentRow[];
}

/** A row of both versions, by its key; null = the version has none. Values as Postgres writes them as JSON. */
interface DifferentRow {
  readonly key: Columns;
  /** Only the columns that differ, if both have the row. */
  readonly before: Columns | null;
  readonly after: Columns | null;
}

export type Columns = Readonly<Record<string, unknown>>;

/** A table that was compared; rows of kept counts are compared by what they add up to. */
export interface ComparedTable {
  readonly table: string;
  /** Of the version that was filled. */
  readonly rows: number;
}

/** A table of two versions, and the columns that are compared. */
export interface TablePair {
  readonly model: ReadModel;
  readonly before: string;
  readonly after: string;
}

/** Rows that are shown of each table. */
export const SHOWN = 5;

/** Of a row of both versions only what differs. */
export function withoutSame(before: Columns | null, after: Columns | null) {
  if (!before || !after) return { before, after };
  const differ = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  const pick = (row: Columns) => Object.fromEntries(Object.entries(row).filter(([name]) => differ(name)));
  return { before: pick(before), after: pick(after) };
}

/** How many rows differ in each table, and the first of them with both values. */
export const describeDifferences = (differences: readonly Difference[]): string =>
  differences
    .flatMap(({ table, onlyBefore, onlyAfter, rows }) => [
      `  ${table}: ${onlyBefore} rows only in the live version, ${onlyAfter} only in the rebuilt one`,
      ...rows.map(describeRow),
    ])
    .join('\n');

function describeRow({ key, before, after }: DifferentRow): string {
  return `    ${listed(key)}: live ${describeValues(before)} · rebuilt ${describeValues(after)}`;
}

/** The columns of a row for people, without the ends of long values. */
export const describeValues = (row: DifferentRow['before']): string => (row === null ? 'no row' : listed(row));

const MAX_TEXT = 60;

function listed(columns: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(columns).map(([name, value]) => {
    const text = JSON.stringify(value);
    return `${name} ${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text}`;
  });
  return texts.length === 0 ? 'a row' : texts.join(', ');
}
