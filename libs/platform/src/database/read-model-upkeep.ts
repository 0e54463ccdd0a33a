import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Pool } from 'pg';
import { run } from './pool';
import { execute, indexesDdl, indexName, storageOf } from './read-model-ddl';
import { identifier, sql } from './sql';

/**
 * Gives tables that are there the storage settings and the further indexes their models have now, and takes away the
 * indexes no model has. Takes as long as it takes; nothing writes to a table while an index of it is made.
 */
export async function keepUp(pool: Pool, schema: string, models: readonly ReadModel[]): Promise<void> {
  await execute(pool, [
    ...(await storageDdl(pool, schema, models)),
    ...indexesDdl(schema, models),
    ...(await staleIndexesDdl(pool, schema, models)),
  ]);
}

async function storageDdl(pool: Pool, schema: string, models: readonly ReadModel[]): Promise<string[]> {
  const tables = await run<{ name: string; storage: string[] }>(
    pool,
    sql`select c.relname as name, coalesce(c.reloptions, '{}') as storage
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = ${schema} and c.relkind = 'r'`,
  );
  const found = new Map(tables.map(({ name, storage }) => [name, storage]));
  return models
    .filter((model) => !storageOf(model).every((setting) => found.get(model.name)?.includes(setting)))
    .map((model) => `alter table ${identifier(schema, model.name).text} set (${storageOf(model).join(', ')})`);
}

/** Dropped beside the questions that read them; nothing waits for that. */
async function staleIndexesDdl(pool: Pool, schema: string, models: readonly ReadModel[]): Promise<string[]> {
  const tables = models.map(({ name }) => name);
  const declared = models.flatMap((model) => model.indexes.map((index) => indexName(model, index)));
  const stale = await run<{ name: string }>(
    pool,
    sql`select i.relname as name
      from pg_index x
      join pg_class i on i.oid = x.indexrelid
      join pg_class t on t.oid = x.indrelid
      join pg_namespace n on n.oid = t.relnamespace
      where n.nspname = ${schema} and t.relname = any(${tables}) and not x.indisprimary
        and not i.relname = any(${declared})`,
  );
  return stale.map(({ name }) => `drop index concurrently if exists ${identifier(schema, name).text}`);
}
