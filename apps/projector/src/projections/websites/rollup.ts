import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { VisitorSessions } from '@ledgerline/domain/sessions/local-session';
import { addsSomething, mergeRolesOf, FoldedRows, type Row } from '@ledgerline/platform/database/read-model-rows';

/** A visitor's sessions, and the text ids rollups need beyond those of the hits. */
export interface RollupInput extends VisitorSessions {
  /** The text id of the host of an href. */
  readonly domainOf: (href: number) => number;
}

/** A read model that is a pure function of the sessions of each visitor; rows of several visitors are added up. */
export interface Rollup extends Target {
  readonly rowsOf: (input: RollupInput, add: AddRow) => void;
  /** A second table, for the days that are over. */
  readonly closed?: Target;
}

interface Target {
  readonly builds: ReadModel;
  /** Turns these rows into the rows of the table, linearly in their sums; absent = they are the rows of the table. */
  readonly expand?: Expand;
}

export const targetsOf = (rollup: Rollup): readonly Target[] => (rollup.closed ? [rollup, rollup.closed] : [rollup]);

export type Expand = (rows: readonly Row[], add: AddRow, isClosed: IsClosed) => void;
/** Whether the day of a row is before the latest one of its website. */
export type IsClosed = (row: Row) => boolean;
/** In tables that are filled by appending rows. */
export const NOTHING_CLOSED: IsClosed = () => false;
type AddRow = (row: Row) => void;

export const rollup = <Model extends ReadModel>(
  builds: Model,
  rowsOf: (input: RollupInput, add: (row: Row<Model>) => void) => void,
  expand?: Expand,
): Rollup => ({ builds, rowsOf, ...(expand && { expand }) });

/** The rows to merge into the table for a difference of rows; rows that add nothing are left out. */
export function expandRows({ builds, expand }: Target, rows: readonly Row[], isClosed: IsClosed): readonly Row[] {
  if (!expand) return rows;
  const folded = new FoldedRows(builds);
  expand(rows, (row) => folded.add(row), isClosed);
  const algebra = mergeRolesOf(builds);
  if (algebra.mins.length + algebra.maxes.length > 0) return folded.values();
  return folded.values().filter((row) => addsSomething(row, algebra));
}
