import { randomBytes } from 'node:crypto';
import { migrate } from '@ledgerline/platform/database/migrate';
import { Client } from 'pg';

/** A database of one spec's own on the test server, with all migrations applied. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const name = `spec_${randomBytes(8).toString('hex')}`;
  const server = serverUrl();
  await onServer(server, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  if (migrated) await migrate(url);
  return { url, drop: () => onServer(server, `drop database if exists ${name} with (force)`) };
}

/** Runs `work` while no other spec file of this test run is at such work. */
export async function alone(work: () => void): Promise<void> {
  const client = new Client({ connectionString: serverUrl() });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(1)');
    work();
  } finally {
    await client.end();
  }
}

function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is set by the global setup of the tests; run them through jest.');
  return url;
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
