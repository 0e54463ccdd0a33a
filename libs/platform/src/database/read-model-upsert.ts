import { createHash } from 'node:crypto';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { binaryArray, scalarOf } from './binary-array';
import {
  type Histogram,
  type ReadModelRow,
  type Value,
  binaryHistograms,
  mergeRolesOf,
  mergedHistogram,
} from './read-model-rows';
import { identifier, type Sql } from './sql';

/** Merges rows, one per key, into a table; all in one statement, in the order of their keys. */
export const upsert = (schema: string, model: ReadModel, rows: readonly ReadModelRow[]): Sql =>
  insertion('upsert', schema, model, rows);

/** Adds rows, none of which is there. */
export const append = (schema: string, model: ReadModel, rows: readonly ReadModelRow[]): Sql =>
  insertion('append', schema, model, rows);

function insertion(how: 'upsert' | 'append', schema: string, model: ReadModel, rows: readonly ReadModelRow[]): Sql {
  const place = `${how} ${schema}.${model.name}`;
  const ofModel = statements.get(model) ?? new Map<string, NamedStatement>();
  statements.set(model, ofModel);
  const statement = ofModel.get(place) ?? named(place, compose(how, schema, model));
  ofModel.set(place, statement);
  const { name, text, arrays } = statement;
  return { name, text, values: parametersOf(model, rows, arrays) };
}

/** Deletes those of these rows of which nothing is left: all of their sums are zero, and their histograms empty. */
export function deleteEmptied(schema: string, model: ReadModel, rows: readonly ReadModelRow[]): Sql | undefined {
  const { sums, histograms, keys } = mergeRolesOf(model);
  const isShrunk = (row: ReadModelRow) =>
    sums.some((name) => (row[name] as number) < 0) ||
    histograms.some((name) => (row[name] as Histogram).some((number) => number < 0)); // no bin is
  const shrunk = rows.filter(isShrunk);
  if (shrunk.length === 0) return undefined;
  const empty = [
    ...sums.map((name) => `old.${quoted(name)} = 0`),
    ...histograms.map((name) => `old.${quoted(name)} = '{}'`),
  ];
  return {
    ...deleting(schema, model, shrunk, [...keys.map(sameKey), ...empty]),
    name: `empty ${schema}.${model.name}`,
  };
}

/** Sets columns of rows that exist, found by their keys; all of these rows have the same columns. */
export function updateRows(schema: string, model: ReadModel, rows: readonly PartialRow[]): Sql {
  const { keys } = mergeRolesOf(model);
  const names = Object.keys(rows[0] ?? {}).filter((name) => name in model.columns);
  const scalars = names.map((name) => scalarOf(model.columns[name]?.type ?? 'text'));
  const assignments = names
    .filter((name) => !keys.includes(name))
    .map((name) => `${quoted(name)} = new.${quoted(name)}`);
  return {
    text: `update ${quoted(schema, model.name)} old set ${assignments.join(', ')}
      from unnest(${scalars.map((scalar, at) => `$${at + 1}::${scalar}[]`).join(', ')})
      as new (${names.map((name) => quoted(name)).join(', ')})
      where ${keys.map((name) => `old.${quoted(name)} = new.${quoted(name)}`).join(' and ')}`,
    values: names.map((name, at) => columnArray(scalars[at] ?? 'text', rows, name)),
  };
}

/** Deletes rows by their keys. */
export const deleteRows = (schema: string, model: ReadModel, rows: readonly PartialRow[]): Sql =>
  deleting(schema, model, rows, mergeRolesOf(model).keys.map(sameKey));

/** A row's key, and any of its other columns. */
type PartialRow = Readonly<Record<string, Value>>;

interface Statement {
  readonly text: string;
  /** Names of the array columns. */
  readonly arrays: readonly string[];
}

type NamedStatement = Statement & { readonly name: string };

const statements = new WeakMap<ReadModel, Map<string, NamedStatement>>();

/** A table may be written by models with more and fewer columns, on one connection. */
const named = (place: string, statement: Statement): NamedStatement => ({
  ...statement,
  name: `${place} ${createHash('sha256').update(statement.text).digest('hex').slice(0, 8)}`,
});

function compose(how: 'upsert' | 'append', schema: string, model: ReadModel): Statement {
  const { text: selected, arrays } = selection(model);
  const { names, keys } = mergeRolesOf(model);
  const text = `insert into ${quoted(schema, model.name)} as old (${names.map((name) => quoted(name)).join(', ')})
    ${selected}`;
  if (how === 'append') return { text, arrays };
  const merged = `order by ${keys.map((name) => `new.${quoted(name)}`).join(', ')}
    on conflict (${keys.map((name) => quoted(name)).join(', ')}) do ${resolution(model)}`;
  return { text: `${text}\n    ${merged}`, arrays };
}

/** A `select` of these rows with the columns of the model; its parameters begin at $1. */
export function rowsAsQuery(model: ReadModel, rows: readonly ReadModelRow[]): Sql {
  const { text, arrays } = selection(model);
  return { text, values: parametersOf(model, rows, arrays) };
}

/**
 * Scalars come as one array per column; the arrays of an array column come laid end to end in one array, out of which
 * each row takes its slice, whose ends are two more columns: `unnest` would flatten them.
 */
function selection(model: ReadModel): Statement {
  const columns = Object.entries(model.columns).map(([name, { type }], at) => {
    return { name, parameter: `$${at + 1}::${scalarOf(type)}[]`, isArray: type.endsWith('[]') };
  });
  const arrays = columns.filter(({ isArray }) => isArray).map(({ name }) => name);
  const scalars = columns.filter(({ isArray }) => !isArray);
  const ends = arrays.flatMap((name) => [quoted(`${name}_from`), quoted(`${name}_to`)]);
  const slices = ends.map((_, at) => `$${columns.length + 1 + at}::integer[]`);
  const taken = [...scalars.map(({ name }) => quoted(name)), ...ends];
  const selected = columns.map(({ name, parameter, isArray }) =>
    isArray
      ? `coalesce((${parameter})[${quoted(`${name}_from`)}:${quoted(`${name}_to`)}], '{}') as ${quoted(name)}`
      : `new.${quoted(name)}`,
  );
  const text = `select ${selected.join(', ')}
    from unnest(${[...scalars.map(({ parameter }) => parameter), ...slices].join(', ')}) as new (${taken.join(', ')})`;
  return { text, arrays };
}

function parametersOf(model: ReadModel, rows: readonly ReadModelRow[], arrays: readonly string[]): Buffer[] {
  const values = Object.entries(model.columns).map(([name, { type, merge }]) => {
    const column = rows.map((row) => row[name] ?? null);
    if (merge === 'histogram') return binaryHistograms(column as readonly Histogram[]);
    return type.endsWith('[]') ? binaryArray(scalarOf(type), flat(column)) : binaryArray(scalarOf(type), column);
  });
  return [...values, ...arrays.flatMap((name) => bounds(rows, model, name))];
}

/** Returns what an upsert does with a row that is there: merges the columns of the new one. */
function resolution(model: ReadModel): string {
  const { sums, mins, maxes, lasts, histograms } = mergeRolesOf(model);
  const assignments = [
    ...sums.map((name) => `${quoted(name)} = old.${quoted(name)} + excluded.${quoted(name)}`),
    ...histograms.map((name) => `${quoted(name)} = ${mergedHistogram(quoted(name))}`),
    ...mins.map((name) => `${quoted(name)} = least(old.${quoted(name)}, excluded.${quoted(name)})`),
    ...maxes.map((name) => `${quoted(name)} = greatest(old.${quoted(name)}, excluded.${quoted(name)})`),
    ...lasts.map(
      ({ name, by }) => `${quoted(name)} = ${by === undefined ? `excluded.${quoted(name)}` : latest(name, by)}`,
    ),
  ];
  return assignments.length > 0 ? `update set ${assignments.join(', ')}` : 'nothing';
}

const latest = (name: string, by: string) =>
  `case when excluded.${quoted(by)} > old.${quoted(by)} then excluded.${quoted(name)} else old.${quoted(name)} end`;

/** Where the arrays of a column, which are laid end to end, begin and end. */
function bounds(rows: readonly ReadModelRow[], { columns }: ReadModel, name: string): [Buffer, Buffer] {
  const size = columns[name]?.merge === 'histogram' ? 2 : 1;
  const from: number[] = [];
  const to: number[] = [];
  let end = 0;
  for (const row of rows) {
    from.push(end + 1);
    end += (row[name] as readonly Value[]).length / size;
    to.push(end);
  }
  return [binaryArray('integer', from), binaryArray('integer', to)];
}

function flat(column: readonly Value[]): Value[] {
  const elements: Value[] = [];
  for (const value of column) for (const element of value as readonly Value[]) elements.push(element);
  return elements;
}

function deleting(schema: string, model: ReadModel, rows: readonly PartialRow[], conditions: readonly string[]): Sql {
  const { keys } = mergeRolesOf(model);
  const scalars = keys.map((name) => scalarOf(model.columns[name]?.type ?? 'text'));
  const parameters = scalars.map((scalar, at) => `$${at + 1}::${scalar}[]`).join(', ');
  return {
    text: `delete from ${quoted(schema, model.name)} old
      using unnest(${parameters}) as gone (${keys.map((name) => quoted(name)).join(', ')})
      where ${conditions.join(' and ')}`,
    values: keys.map((name, at) => columnArray(scalars[at] ?? 'text', rows, name)),
  };
}

const columnArray = (scalar: string, rows: readonly PartialRow[], name: string): Buffer =>
  binaryArray(
    scalar,
    rows.map((row) => row[name] ?? null),
  );

const sameKey = (name: string) => `old.${quoted(name)} = gone.${quoted(name)}`;
const quoted = (...names: readonly string[]) => identifier(...names).text;
