import type { DataSource } from 'typeorm';
import { SqlMigration } from '../sql-migration';
import { PEOPLE } from './accounts';
import { AUXILIARY_TABLES_SQL } from './beside-the-logs';
import { EVENT_STORE_TABLES_SQL } from './event-store';
import { INTAKE_LOG_SQL } from './intake-log';
import { READ_MODELS } from './read-models';
import { REPLACED } from './replaced/replaced';

/** Creates what every database of read models needs. */
export class ReadModelBaseline1764000001240 extends SqlMigration {
  static readonly replaces = REPLACED.filter(({ isOfReadStores }) => isOfReadStores);
  protected readonly statements = READ_MODELS;
}

/** Creates what the main database needs besides: the logs, accounts, and what is kept beside the logs. */
export class Baseline1764000001241 extends SqlMigration {
  static readonly replaces = REPLACED.filter(({ isOfReadStores }) => !isOfReadStores);
  protected readonly statements = EVENT_STORE_TABLES_SQL + INTAKE_LOG_SQL + PEOPLE + AUXILIARY_TABLES_SQL;
}

/**
 * Brings a database in which only some of the replaced migrations ran to what a baseline makes, and records the baselines
 * as applied where these have made their schema.
 */
export async function recogniseBaselines(source: DataSource): Promise<void> {
  const [{ exists }] = await source.query<[{ exists: boolean }]>(
    `select to_regclass('migrations') is not null as exists`,
  );
  if (!exists) return;
  const rows = await source.query<{ name: string }[]>('select name from migrations');
  const applied = new Set(rows.map(({ name }) => name));
  const begun = [ReadModelBaseline1764000001240, Baseline1764000001241].filter(
    ({ name, replaces }) => !applied.has(name) && replaces.some((each) => applied.has(each.name)),
  );
  const wanted = begun.flatMap(({ replaces }) => replaces);
  for (const each of REPLACED)
    if (wanted.includes(each) && !applied.has(each.name)) await record(source, each.name, each.statements);
  for (const { name } of begun) await record(source, name);
}

/** Runs the statements of a migration, and notes it as TypeORM does. */
const record = (source: DataSource, name: string, statements?: string): Promise<void> =>
  source.transaction(async (manager) => {
    if (statements !== undefined) await manager.query(statements);
    await manager.query('insert into migrations (timestamp, name) values ($1, $2)', [name.slice(-13), name]);
  });
