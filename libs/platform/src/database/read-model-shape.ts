import type { ColumnType, ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run, type Queryable } from './pool';
import { mergeRolesOf } from './read-model-rows';
import { sql } from './sql';

/** Whether a schema has the tables of these models, each with exactly their columns and keys. Indexes may differ, and others may be there. */
export async function hasShape(on: Queryable, schema: string, models: readonly ReadModel[]): Promise<boolean> {
  const found = await run<{ shape: string }>(
    on,
    sql`select concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, null), not a.attnotnull,
        coalesce(array_position(k.conkey, a.attnum), 0)) as shape
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
      where n.nspname = ${schema} and c.relkind = 'r' and c.relname = any(${models.map(({ name }) => name)})`,
  );
  const expected = models.flatMap(shapeOf);
  const there = new Set(found.map(({ shape }) => shape));
  return there.size === expected.length && expected.every((shape) => there.has(shape));
}

/** A line for each column, as {@link hasShape} finds them; a key column with its place in the key. */
function shapeOf(model: ReadModel): string[] {
  const { keys } = mergeRolesOf(model);
  return Object.entries(model.columns).map(([name, { type }]) =>
    [model.name, name, nameOf(type), type.endsWith('?') ? 't' : 'f', keys.indexOf(name) + 1].join(' '),
  );
}

const nameOf = (type: ColumnType): string => type.replace('?', '').replace('timestamptz', 'timestamp with time zone');
