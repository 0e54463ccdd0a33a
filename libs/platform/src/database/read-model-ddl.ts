import type { ColumnType, Index, ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { identifier } from './sql';
import { mergeRolesOf } from './read-model-rows';
import { run, type Queryable } from './pool';
import { declarationDdl } from './table-declaration';
import { textHash } from './text';

/** Statements that create a schema with these tables where they are missing, and declare what they are. */
export function tablesDdl(schema: string, models: readonly ReadModel[]): string[] {
  const tables = models.flatMap((model) => [tableDdl(schema, model), declarationDdl(schema, model)]);
  return [`create schema if not exists ${quoted(schema)}`, ...tables];
}

/** Statements that create the further indexes of these tables where they are missing. */
export const indexesDdl = (schema: string, models: readonly ReadModel[]): string[] =>
  models.flatMap((model) => model.indexes.map((index) => indexDdl(schema, model, index)));

/** Another declaration is another index. */
export const indexName = (model: ReadModel, index: Index): string =>
  `${model.name}_${textHash(JSON.stringify(index)).slice(0, 8)}`;

export async function createReadModels(on: Queryable, schema: string, models: readonly ReadModel[]): Promise<void> {
  await execute(on, [...tablesDdl(schema, models), ...indexesDdl(schema, models)]);
}

/** Runs these statements one after the other. */
export async function execute(on: Queryable, statements: readonly string[]): Promise<void> {
  for (const text of statements) await run(on, { text, values: [] });
}

/** The statement that creates a table where it is missing. */
export function tableDdl(schema: string, model: ReadModel): string {
  const columns = Object.entries(model.columns).map(([name, { type }]) => `${quoted(name)} ${columnType(type)}`);
  const parts = [...columns, `primary key (${list(mergeRolesOf(model).keys)})`].join(', ');
  return `create table if not exists ${quoted(schema, model.name)} (${parts}) with (${storageOf(model).join(', ')})`;
}

function indexDdl(schema: string, model: ReadModel, index: Index): string {
  const { on, using } = index;
  // without `fastupdate`, which leaves words in a list that every search would read through
  const method = using ? ` using ${using}` : '';
  const settings = using === 'gin' ? ' with (fastupdate=off)' : '';
  const table = `${quoted(schema, model.name)}${method}`;
  return `create index if not exists ${quoted(indexName(model, index))} on ${table} (${list(on)})${settings}`;
}

/**
 * Room on every page for counters to be updated in place, which rows cannot be of which an indexed column changes, and
 * which facts hardly ever are.
 */
export function storageOf(model: ReadModel): string[] {
  const { keys, sums, histograms } = mergeRolesOf(model);
  const isMoved = model.indexes.some(({ on }) => on.some((name) => !keys.includes(name)));
  const isCounted = sums.length + histograms.length > 0;
  return [`fillfactor=${isCounted && !isMoved ? 90 : 100}`];
}

function columnType(type: ColumnType): string {
  if (type.endsWith('?')) return type.slice(0, -1);
  return `${type} not null`;
}

const quoted = (...names: readonly string[]) => identifier(...names).text;
const list = (names: readonly string[]) => names.map((name) => quoted(name)).join(', ');
