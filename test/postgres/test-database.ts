import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { migrate } from '@ledgerline/platform/database/migrate';

/** A database of one spec file on the test server. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** An empty database of another server than that of the run; it goes with the server. */
export async function createDatabaseOn(serverUrl: string): Promise<string> {
  const name = newName('spec');
  await onServerAt(serverUrl, `create database ${name}`);
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

/** A clone of the migrated template, or an empty database. */
export const createTestDatabase = ({ migrated = true } = {}): Promise<TestDatabase> =>
  clone(migrated ? variable('TEST_DATABASE_TEMPLATE') : 'template1');

/** A copy of a database to which nothing is connected. */
export const copyTestDatabase = ({ url }: TestDatabase): Promise<TestDatabase> => clone(new URL(url).pathname.slice(1));

async function clone(template: string): Promise<TestDatabase> {
  const name = newName('spec');
  await onServer(`create database ${name} template ${template}`);
  return { url: urlOf(name), drop: () => drop(name) };
}

/** Answers the name of a database with all migrations applied, which nothing may connect to afterwards. */
export async function createTemplate(): Promise<string> {
  const name = newName('template');
  await onServer(`create database ${name}`);
  await migrate(urlOf(name));
  return name;
}

export const dropTemplate = (): Promise<void> => drop(variable('TEST_DATABASE_TEMPLATE'));

/** Runs `work` while no other spec file of this test run does the same. */
export async function alone(work: () => void): Promise<void> {
  const client = new Client({ connectionString: variable('TEST_DATABASE_URL') });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(1)');
    work();
  } finally {
    await client.end();
  }
}

const newName = (kind: string): string => `${kind}_${randomBytes(8).toString('hex')}`;

const urlOf = (name: string): string =>
  Object.assign(new URL(variable('TEST_DATABASE_URL')), { pathname: `/${name}` }).href;

/** Connections that are being closed are awaited: forced out, they would end with an error on their pool. */
const drop = (name: string): Promise<void> =>
  onServer(
    `do $$ begin
       for attempt in 1..50 loop
         exit when not exists (select from pg_stat_activity where datname = '${name}');
         perform pg_sleep(0.005), pg_stat_clear_snapshot();
       end loop;
     end $$`,
    `drop database if exists ${name} with (force)`,
  );

function variable(name: 'TEST_DATABASE_URL' | 'TEST_DATABASE_TEMPLATE'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is set by the global setup of the tests; run them through jest.`);
  return value;
}

const onServer = (...statements: readonly string[]): Promise<void> =>
  onServerAt(variable('TEST_DATABASE_URL'), ...statements);

async function onServerAt(connectionString: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
