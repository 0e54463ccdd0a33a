import { DataSource } from 'typeorm';
import { MIGRATIONS, READ_STORE_MIGRATIONS } from './migrations/catalogue';

/** Brings a database to the schema of this version; safe to run from several processes at once. Returns the migrations applied. */
export const migrate = (url: string): Promise<readonly string[]> => runMigrations(url, MIGRATIONS);

/** The same for what a read store needs; nothing is left to do where it is the main database. */
export const migrateReadStore = (url: string): Promise<readonly string[]> => runMigrations(url, READ_STORE_MIGRATIONS);

async function runMigrations(url: string, migrations: typeof MIGRATIONS): Promise<readonly string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations: [...migrations],
    migrationsTableName: 'migrations',
    applicationName: 'ledgerline-migrations',
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
  });
  await source.initialize();
  try {
    await source.query('select pg_advisory_lock(hashtext($1))', ['ledgerline migrations']);
    const applied = await source.runMigrations({ transaction: 'each' });
    return applied.map(({ name }) => name);
  } finally {
    await source.destroy();
  }
}

const CONNECT_TIMEOUT_MS = 10_000;
