import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run, type Queryable } from './pool';
import { mergeRolesOf, type ReadModelRow } from './read-model-rows';
import { rowsAsQuery } from './read-model-upsert';
import { identifier } from './sql';

/** The difference of rows from those that should be there. */
export interface RowDifference {
  /** Rows that should be there, that should not, and those with other values. */
  readonly missing: number;
  readonly extra: number;
  readonly changed: number;
  /** The first of them, as it should be and as it is; null = it should not be there, or is not. */
  readonly expected: Readonly<Record<string, unknown>> | null;
  readonly found: Readonly<Record<string, unknown>> | null;
}

/** Writes a condition on the columns of a table with the values that it binds. */
type Scope = (bind: (value: unknown) => string) => string;

/** The difference of the rows of one day (since 1970-01-01) or instant (epoch ms), and of one subject if it is asked for. */
export type DifferenceAt = RowDifference & { readonly at: number; readonly subject: string | null };

interface Compared {
  readonly schema: string;
  readonly model: ReadModel;
  readonly scope: Scope;
  /** A column of the key with a date or an instant, by which differences are counted. */
  readonly by: string;
}

/** Compares the rows of a table within a scope with those that should be there. */
export async function compareRows(
  on: Queryable,
  { schema, model, scope, by }: Compared,
  rows: readonly ReadModelRow[],
): Promise<DifferenceAt[]> {
  const expected = rowsAsQuery(model, rows);
  const values: unknown[] = [...expected.values];
  const where = scope((value) => `$${values.push(value)}`);
  const names = Object.entries(model.columns).flatMap(([name, { isCompared }]) => (isCompared === false ? [] : [name]));
  const columns = names.map((name) => identifier(name).text).join(', ');
  return compareQueries(on, {
    keys: mergeRolesOf(model).keys,
    at: model.columns[by]?.type === 'date' ? days(by) : epochMillisecondsSql(by),
    expected: `select ${columns} from (${expected.text}) expected`,
    stored: `select ${columns} from ${identifier(schema, model.name).text} where ${where}`,
    values,
  });
}

/** Two queries with the same columns. */
interface Queries {
  readonly keys: readonly string[];
  readonly expected: string;
  readonly stored: string;
}

interface Counting {
  /** The value by which differences are counted, of the row as it should be, or else as it is. */
  readonly at: string;
  readonly subject?: string;
  readonly values: readonly unknown[];
}

/** Compares two queries, row by row with the same keys. */
export function compareQueries(
  on: Queryable,
  { at, subject = 'null::text', values, ...queries }: Queries & Counting,
): Promise<DifferenceAt[]> {
  const [first = ''] = queries.keys.map((name) => identifier(name).text);
  const text = `
    select at, subject, count(*) filter (where is_missing)::integer as missing,
      count(*) filter (where is_extra)::integer as extra,
      count(*) filter (where not is_missing and not is_extra)::integer as changed,
      (array_agg(expected order by expected, found))[1] as expected,
      (array_agg(found order by expected, found))[1] as found
    from (
      select e.${first} is null as is_extra, s.${first} is null as is_missing, to_jsonb(e) as expected,
        to_jsonb(s) as found, ${at} as at, ${subject} as subject ${differingRowsSql(queries)}
    ) rows
    group by 1, 2 order by 1, 2`;
  return run<DifferenceAt>(on, { text, values });
}

/** The rows that differ: `e` as it should be and `s` as it is, of which one may be missing. */
export function differingRowsSql({ keys, expected, stored }: Queries): string {
  const same = keys.map((name) => `e.${identifier(name).text} = s.${identifier(name).text}`);
  return `from (${expected}) e full join (${stored}) s on ${same.join(' and ')} where e is distinct from s`;
}

/** Returns a column of the row, as it should be or else as it is. */
export const eitherRowColumn = (column: string) =>
  `coalesce(e.${identifier(column).text}, s.${identifier(column).text})`;

export const days = (column: string): string => `(${eitherRowColumn(column)} - '1970-01-01'::date)::float8`;

export const epochMillisecondsSql = (column: string): string =>
  `(extract(epoch from ${eitherRowColumn(column)}) * 1000)::float8`;
