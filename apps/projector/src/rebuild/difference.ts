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
export interface DifferentRow {
  readonly key: Columns;
  /** Only the columns that differ, if both have the row. */
  readonly before: Columns | null;
  readonly after: Columns | null;
}

export type Columns = Readonly<Record<string, unknown>>;

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
