import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Unit } from '@ledgerline/domain/sessions/stay';
import { algebraOf, FoldedRows, type Row } from '@ledgerline/platform/database/read-model-rows';

/** A visitor's sessions, and the words rollups need beyond those of the hits. */
export interface WebsiteUnit extends Unit {
  /** The word id of the host of an href. */
  readonly domainOf: (href: number) => number;
}

/** A read model that is a pure function of the sessions of each unit; rows of several units are added up. */
export interface Rollup {
  readonly builds: ReadModel;
  readonly rowsOf: (unit: WebsiteUnit, add: (row: Row) => void) => void;
  /** The rows of the table that these add to; absent = they are such rows. What they add must be linear in these. */
  readonly spread?: Spread;
}

export type Spread = (rows: readonly Row[], add: (row: Row) => void) => void;

export const rollup = <Model extends ReadModel>(
  builds: Model,
  rowsOf: (unit: WebsiteUnit, add: (row: Row<Model>) => void) => void,
  spread?: Spread,
): Rollup => ({ builds, rowsOf, ...(spread && { spread }) });

/** What has to be merged into the table for a difference of rows; rows that add nothing are left out. */
export function spreadOut({ builds, spread }: Rollup, rows: readonly Row[]): readonly Row[] {
  if (!spread) return rows;
  const folded = new FoldedRows(builds);
  spread(rows, (row) => folded.add(row));
  const { sums, mins, maxes } = algebraOf(builds);
  if (mins.length + maxes.length > 0) return folded.values();
  return folded.values().filter((row) => sums.some((name) => row[name] !== 0));
}
