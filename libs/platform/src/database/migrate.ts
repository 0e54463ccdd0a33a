import { DataSource } from 'typeorm';
import { MIGRATIONS } from './migrations/catalogue';

/** Brings a database to the schema of this version; safe to run from several processes at once. Returns the migrations applied. */
export async function migrate(url: string): Promise<readonly string[]> {
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations: [...MIGRATIONS],
    migrationsTableName: 'migrations',
    applicationName: 'ledgerline-migrations',
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
