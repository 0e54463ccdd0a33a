/**
 * A read model declares for every column how two rows with one key merge. Folding a batch, the upsert, the difference
 * between an old and a new contribution and the comparison of versions all derive from this declaration.
 */
export interface ReadModel<Columns extends ReadModelColumns = ReadModelColumns> {
  readonly name: string;
  readonly columns: Columns;
  /** Further indexes; the key is the primary key anyway. */
  readonly indexes: readonly ReadModelIndex[];
  /** False: see {@link notCompared}. */
  readonly isCompared?: false;
  /** See {@link meaning}. */
  readonly meaning?: readonly number[];
}

/** A sorted copy of some columns. */
export interface ReadModelIndex<Name extends string = string> {
  readonly on: readonly Name[];
  /** Instead of a sorted copy, gin: an index of each word of a column of words · hash: only equal values are found. */
  readonly using?: 'gin' | 'hash';
}

export type ReadModelColumns = Readonly<Record<string, ReadModelColumn>>;

export interface ReadModelColumn<Merge extends MergeKind = MergeKind> {
  readonly merge: Merge;
  readonly type: ColumnType;
  /** For `last`: the `max` column whose greater value decides which row's value is kept. */
  readonly by?: string;
  /** The meaning of its values, where the type does not say it; another text means other values of the same events. */
  readonly holds?: string;
  /** False: see {@link notCompared}. */
  readonly isCompared?: false;
}

/**
 * key: part of the primary key · sum: added · min, max: the smaller, the greater · last: the value of the later row ·
 * histogram: the counts of each bin are added.
 */
type MergeKind = 'key' | 'sum' | 'min' | 'max' | 'last' | 'histogram';

/** Postgres types of read models. A suffix `?` allows null. */
export type ColumnType = ScalarType | `${ScalarType}?` | `${ScalarType}[]`;
type ScalarType =
  | 'boolean'
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'text'
  | 'uuid'
  | 'date'
  | 'timestamptz'
  | 'jsonb'
  | 'tsvector'
  | 'bytea'
  | 'double precision';

export const key = (type: ColumnType): ReadModelColumn<'key'> => ({ merge: 'key', type });
export const sum = (type: ColumnType = 'bigint'): ReadModelColumn<'sum'> => ({ merge: 'sum', type });
export const min = (type: ColumnType): ReadModelColumn<'min'> => ({ merge: 'min', type });
export const max = (type: ColumnType): ReadModelColumn<'max'> => ({ merge: 'max', type });
/** Sorted by bin, each entry `bin * 2^32 + count`; a bin without a count is left out. */
export const histogram = (): ReadModelColumn<'histogram'> => ({ merge: 'histogram', type: 'bigint[]' });
/** The value of the row whose `by` column is greatest; without `by`, of the row written last. */
export const last = (type: ColumnType, by?: string): ReadModelColumn<'last'> =>
  by === undefined ? { merge: 'last', type } : { merge: 'last', type, by };

export function readModel<Columns extends ReadModelColumns>(
  name: string,
  columns: Columns,
  indexes: readonly ReadModelIndex<keyof Columns & string>[] = [],
): ReadModel<Columns> {
  return { name, columns, indexes };
}

/**
 * A table whose rows depend on numbers that are not in its columns: a number to raise when the same events give other rows
 * in the same columns, and constants. Spans of blocks and bins of histograms are part of every table's meaning.
 */
export const meaning = <Declared extends ReadModel>(declared: Declared, ...numbers: readonly number[]): Declared => ({
  ...declared,
  meaning: numbers,
});

/** A table or column in which two versions of the same events may differ, as it depends on when something was written. */
export const notCompared = <Declared extends ReadModel | ReadModelColumn>(declared: Declared): Declared => ({
  ...declared,
  isCompared: false,
});
