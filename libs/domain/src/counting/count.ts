import type { Numbers, SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Groups } from './groups';
import type { Items, ItemSource } from './items';

/** What items are grouped by: a field, or what follows from fields; negative values leave the item out. */
export type Key = string | { readonly fields?: readonly SessionField[]; readonly of: (items: Items) => Numbers };

/** What is counted, by what, and which figures of it: the declaration that questions and kept counts are made from. */
export interface Count {
  /** Units of this kind in the range, or other items. */
  readonly of: Unit | ItemSource;
  /** Columns; without any all items are one group. */
  readonly by?: Readonly<Record<string, Key>>;
  readonly where?: Condition;
  /** A further condition, on keys alone: it is no part of what is kept. */
  readonly only?: Condition;
  readonly measures: Readonly<Record<string, Measure>>;
  /** What is kept of it, from which it follows, too. */
  readonly kept?: KeptCount;
  /** The column of which the question has a minimum: groups of less are left out. */
  readonly enough?: string;
}

/** A count that is kept, under the name of its column in `kept_counts`. */
export interface KeptCount extends Pick<Count, 'of' | 'by' | 'where' | 'measures'> {
  readonly name: string;
  /** Keys that follow from the others. */
  readonly follows?: readonly string[];
}

/** A figure of each group of items; NaN of nothing. */
export interface Measure {
  readonly fields?: readonly SessionField[];
  readonly of: (groups: Groups, items: Items) => Float64Array;
  /** Absent = it follows from other counts. */
  readonly keeps?: Kept;
  /** Of bins: which percentile. */
  readonly percent?: number;
  /** How many different values of a field there are, of those that are kept: the rows of a finer count. */
  readonly different?: { readonly field: string; readonly within: KeptCount };
}

/** What is kept of the items of a day, from which the figure of any days follows. */
export type Kept = KeptFigure | KeptDistinct;

export interface KeptDistinct {
  readonly what: 'visitors' | 'sessions';
  readonly where?: Condition;
}

/**
 * A sum without a field is how many items there are; bins are those of `durationBin`; of the latest item, by fields of
 * which the first decides, a field is kept.
 */
export type KeptFigure = { readonly where?: Condition } & (
  | { readonly what: 'sum'; readonly field?: string }
  | { readonly what: 'bins' | 'least' | 'greatest'; readonly field: string }
  | { readonly what: 'latest'; readonly field: string; readonly by: readonly string[] }
);

/** Which items are counted: 1 for each that is. */
export interface Condition {
  readonly fields?: readonly SessionField[];
  readonly of: (items: Items) => Uint8Array;
}
