import type { ColumnType, ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { identifier } from './sql';
import { algebraOf } from './read-model-rows';
import { run, type Queryable } from './pool';

/** Statements that create a schema with these tables where they are missing; they change nothing that is there. */
export function readModelDdl(schema: string, models: readonly ReadModel[]): string[] {
  return [`create schema if not exists ${quoted(schema)}`, ...models.flatMap((model) => tableDdl(schema, model))];
}

export async function createReadModels(on: Queryable, schema: string, models: readonly ReadModel[]): Promise<void> {
  for (const text of readModelDdl(schema, models)) await run(on, { text, values: [] });
}

/** Room on every page for counters to be updated in place; no counter has an index. */
const FILLFACTOR = 80;

function tableDdl(schema: string, model: ReadModel): string[] {
  const columns = Object.entries(model.columns).map(([name, { type }]) => `${quoted(name)} ${columnType(type)}`);
  const table = quoted(schema, model.name);
  const key = `primary key (${list(algebraOf(model).keys)})`;
  return [
    `create table if not exists ${table} (${[...columns, key].join(', ')}) with (fillfactor = ${FILLFACTOR})`,
    ...model.indexes.map((names) => {
      const index = quoted([model.name, ...names].join('_').slice(0, 63));
      return `create index if not exists ${index} on ${table} (${list(names)})`;
    }),
  ];
}

function columnType(type: ColumnType): string {
  if (type.endsWith('?')) return type.slice(0, -1);
  return `${type} not null`;
}

const quoted = (...names: readonly string[]) => identifier(...names).text;
const list = (names: readonly string[]) => names.map((name) => quoted(name)).join(', ');
