import { attributeNamed, type AttributeKind } from '@ledgerline/contracts/attributes';
import { partsOfText } from '@ledgerline/contracts/sessions/session';
import { countryName } from '@ledgerline/domain/query/filters';
import { percentage, type AnswerRow } from '@ledgerline/domain/query/rows';
import { sourceOf } from '@ledgerline/domain/referrers/source-of';
import { mapInSlices } from '@ledgerline/platform/log/timing';
import type { ParameterOptions } from './options';

/**
 * The field that rows which are compared have beside their fields; they can be sorted by the change of their first
 * count.
 */
export const CHANGE = 'change_percent';

/** A field of an answer's rows, as `GET /v1/query/types` describes it. */
export interface ResultField {
  readonly type: 'string' | 'integer' | 'number' | 'timestamp' | 'array' | 'object';
  readonly unit?: string;
  /** May be null: nothing to take a median of, or unknown. */
  readonly nullable?: true;
  /**
   * The accuracy of a figure that is not exact: its relative error, before it is rounded to {@link SIGNIFICANT_DIGITS}.
   */
  readonly accuracy?: number;
  /** The only texts there are, in the order that rows are sorted by. */
  readonly values?: readonly string[];
  /** A number that tells rows apart: it is neither compared nor added up. */
  readonly isLabel?: true;
  /** The minimum of a count: of less of it the other figures of a row say little; so much by default. */
  readonly minimum?: number;
  /** The key of a series: the number by which it splits into several, each with a row for every bucket. */
  readonly splitBy?: string;
  /** The source of what only the main database has: the keys of profiles, or what links are called. */
  readonly from?: 'profiles' | 'links';
  /** The type of the elements of a list of texts. */
  readonly of?: 'string';
  /** The fields of each element of a list. */
  readonly items?: ResultFields;
}

export type ResultFields = Readonly<Record<string, ResultField>>;

/** The fields that are compared: all numbers. */
export const figuresOf = ({ fields }: { readonly fields: ResultFields }): string[] =>
  Object.keys(fields).filter((name) => {
    const { type, isLabel } = fields[name] ?? {};
    return !isLabel && (type === 'integer' || type === 'number');
  });

/**
 * The count of a row below which its other figures say little: such rows are left out, or in a series have no
 * estimates.
 */
interface Minimum {
  readonly of: string;
  /** Unless a request names `minSamples`. */
  readonly byDefault: number;
}

export function minSamplesOf({ fields }: { readonly fields: ResultFields }): Minimum | undefined {
  for (const [of, { minimum }] of Object.entries(fields)) if (minimum !== undefined) return { of, byDefault: minimum };
  return undefined;
}

export const textField: ResultField = { type: 'string' };
export const enumField = (values: readonly string[]): ResultField => ({ type: 'string', values });
export const count: ResultField = { type: 'integer' };
/** A count, of less of which the other figures of a row say little. */
export const atLeast = (minimum: number): ResultField => ({ ...count, minimum });
export const percent: ResultField = { type: 'number', unit: 'percent' };
export const ratio: ResultField = { type: 'number' };
export const seconds: ResultField = { type: 'number', unit: 'seconds' };
export const millisecondsField: ResultField = { type: 'number', unit: 'milliseconds' };
export const timestamp: ResultField = { type: 'timestamp' };
export const listField = (items: ResultFields): ResultField => ({ type: 'array', items });
/** A list of texts. */
export const listOfTexts: ResultField = { type: 'array', of: 'string' };
export const objectField: ResultField = { type: 'object' };

export const countFields = (names: readonly string[]): ResultFields =>
  Object.fromEntries(names.map((name) => [name, count]));

export const textFields = (names: readonly string[]): ResultFields =>
  Object.fromEntries(names.map((name) => [name, textField]));

export const nullableField = (field: ResultField): ResultField => ({ ...field, nullable: true });

/** A median or percentile, which histograms have within 1 %; null of nothing. */
export const estimate = (field: ResultField): ResultField => ({ ...nullableField(field), accuracy: 0.01 });

/** The digits of figures that are not exact. */
export const SIGNIFICANT_DIGITS = 3;

/** The rows with the figures that are not exact rounded, whether they come from histograms or, exactly, from facts. */
export async function roundEstimates(
  { fields }: { readonly fields: ResultFields },
  rows: readonly AnswerRow[],
): Promise<readonly AnswerRow[]> {
  const estimates = Object.keys(fields).filter((name) => fields[name]?.accuracy !== undefined);
  if (estimates.length === 0) return rows;
  return mapInSlices(rows, (row) => ({
    ...row,
    ...Object.fromEntries(estimates.map((name) => [name, rounded(row[name])])),
  }));
}

const rounded = (cell: unknown): unknown =>
  typeof cell === 'number' ? Number(cell.toPrecision(SIGNIFICANT_DIGITS)) : cell;

const IS_OF_TYPE: Readonly<Record<ResultField['type'], (column: unknown) => boolean>> = {
  string: (column) => typeof column === 'string',
  integer: (column) => typeof column === 'number',
  number: (column) => typeof column === 'number',
  timestamp: (column) => column instanceof Date,
  array: Array.isArray,
  object: (column) => typeof column === 'object' && !Array.isArray(column),
};

const OF_NULL: Readonly<Record<ResultField['type'], () => unknown>> = {
  string: () => '',
  integer: () => 0,
  number: () => 0,
  timestamp: () => null,
  array: () => [],
  object: () => ({}),
};

/**
 * The value of a field out of the column of its name; of null 0, '' and the like, or null where the field allows it. A
 * time is a date, or in counted rows epoch ms.
 * @throws Error when there is no such column, or it is of another type
 */
export function resultValue(name: string, { type, nullable }: ResultField, row: SqlRow): unknown {
  const column = requiredCell(row, name);
  if (column === null) return nullable ? null : OF_NULL[type]();
  if (type === 'timestamp' && typeof column === 'number') return new Date(column).toISOString();
  if (!IS_OF_TYPE[type](column)) throw new Error(`The column ${name} is no ${type}.`);
  return column instanceof Date ? column.toISOString() : column;
}

/** A row as Postgres returns it. Counts are cast to float8, so that they arrive as numbers. */
export type SqlRow = Readonly<Record<string, unknown>>;

const EMPTY = Symbol('empty');

/** The row of totals or of a bucket for which nothing was found: all columns but the given ones are null. */
export const emptyRow = (known: SqlRow = {}): SqlRow => ({ ...known, [EMPTY]: true });

/** The values of fields that are not the column of the same name. */
export type ComputeRow = (found: SqlRow, options: ParameterOptions) => AnswerRow;

/** Makes a row of an answer from a row of the SQL, or from an empty one if there was none. */
export function rowWith(fields: ResultFields, compute?: ComputeRow) {
  const columns = Object.entries(fields);
  return (found: SqlRow, options: ParameterOptions = {}): AnswerRow => {
    const values = compute?.(found, options) ?? {};
    return Object.fromEntries(
      columns.map(([name, field]) => [name, name in values ? values[name] : resultValue(name, field, found)]),
    );
  };
}

/** A column as it came. @throws Error when the rows have none, so that a mistyped alias is not answered as 0 */
export function requiredCell(row: SqlRow, column: string): unknown {
  const value = row[column];
  if (value === undefined && !(EMPTY in row)) throw new Error(`The rows have no column ${column}.`);
  return value ?? null;
}

/** 0 of null. @throws Error as {@link numberOrNull} */
export const numberCell = (row: SqlRow, column: string): number => numberOrNull(row, column) ?? 0;

/** @throws Error when there is no such column, or it is no number */
export function numberOrNull(row: SqlRow, column: string): number | null {
  const value = requiredCell(row, column);
  if (value === null || typeof value === 'number') return value;
  throw new Error(`The column ${column} is no number.`);
}

/** Returns the number of rows a list has in all, where each of its rows says so. */
export const totalSaidBy = ([first]: readonly SqlRow[]): number | undefined =>
  first && 'total_rows' in first ? numberCell(first, 'total_rows') : undefined;

/** '' of null. @throws Error when there is no such column, or it is no text */
export function textIn(row: SqlRow, column: string): string {
  const value = requiredCell(row, column) ?? '';
  if (typeof value === 'string') return value;
  throw new Error(`The column ${column} is no text.`);
}

/** An id as it is shown: 32 hex digits. */
export const withoutDashes = (uuid: string): string => uuid.replaceAll('-', '');

/** The id in a column of a uuid; null of null. */
export const idIn = (row: SqlRow, column: string): string | null => withoutDashes(textIn(row, column)) || null;

/**
 * The part that a count of a row is of all there are (`whole`), in percent. It is 100 at most: sessions and visits of pages
 * that begin in a range may be selected by page views after it.
 */
export function shareOf(row: SqlRow, column: string): number {
  const part = numberCell(row, column);
  return percentage(part, Math.max(part, numberCell(row, 'whole')));
}

/** A sum per thing, with two decimals; null of nothing. */
export const averageOf = (sum: number, things: number): number | null =>
  things === 0 ? null : Math.round((sum / things) * 100) / 100;

const MICRO = 1_000_000;

/** ms as seconds, to the microsecond. */
export const secondsOf = (ms: number | null): number | null =>
  ms === null ? null : Math.round((ms / 1000) * MICRO) / MICRO;

/** The fields that a row has for the value it is about, besides its counts; rows are sorted by them in their order. */
export interface Labels {
  readonly fields: ResultFields;
  /** '' is the missing value. */
  readonly of: (value: string) => Readonly<Record<string, string>>;
  /** The first one is the value itself, but for the missing value. */
  readonly isText?: true;
}

/** The labels of a row, and its `percentage` where it has a share. */
export const labelledRow =
  ({ of }: Labels, share?: { readonly column: string }, compute?: ComputeRow): ComputeRow =>
  (found, options) => ({
    ...of(textIn(found, 'text')),
    ...(share ? { percentage: shareOf(found, share.column) } : {}),
    ...compute?.(found, options),
  });

const labels = (of: Labels['of']): Labels => ({ fields: textFields(Object.keys(of(''))), of });

const UNKNOWN = 'Unknown';

/** The value itself. */
export const textAs = (name: string): Labels => ({ ...labels((value) => ({ [name]: value })), isText: true });

/** The value itself, or Unknown. */
const NAME: Labels = { ...labels((value) => ({ name: value || UNKNOWN })), isText: true };

const BROWSER_AND_VERSION = labels((value) => {
  const [browser, version] = partsOfText(value);
  return { browser_name: browser || UNKNOWN, browser_version: version || UNKNOWN };
});

/** A canonical referrer domain with the source it belongs to; '' = direct. */
const REFERRER = labels((domain) => {
  const { name, type } = sourceOf(domain);
  return { name, referrer: domain, source: name, domain, referrer_type: type };
});

const COUNTRY = labels((code) => ({ name: countryName(code) || UNKNOWN, ...countryFields(code) }));

/** A region or city, which only its country and name together identify. */
const PLACE = labels((value) => {
  const [code, name] = partsOfText(value);
  if (name === '') return { name: UNKNOWN, ...countryFields(''), country: UNKNOWN };
  return { name, ...countryFields(code), country: countryName(code) || UNKNOWN };
});

function countryFields(code: string) {
  return { country_code: code, country_name: countryName(code) || UNKNOWN };
}

const OF_KINDS: Readonly<Partial<Record<AttributeKind, Labels>>> = {
  source: REFERRER,
  country: COUNTRY,
  place: PLACE,
  version: BROWSER_AND_VERSION,
};

/** The labels of the values of an attribute, or some of them; a path has its name alone. */
export function labelsOf(attribute: string, ...names: readonly string[]): Labels {
  const all = OF_KINDS[attributeNamed(attribute)?.kind ?? 'text'] ?? NAME;
  if (names.length === 0) return all;
  return labels((value) => Object.fromEntries(names.map((name) => [name, all.of(value)[name] ?? ''])));
}

/** The names of a row's attributes, from the columns of their texts. */
export const attributesIn = (found: SqlRow, attributes: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(attributes.map((name) => [name, labelsOf(name).of(textIn(found, name))['name'] ?? '']));
