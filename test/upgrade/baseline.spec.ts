import { Client } from 'pg';
import { MIGRATIONS, READ_STORE_MIGRATIONS, migrate, migrateReadStore } from '@ledgerline/platform/database/migrate';
import { REPLACED } from '@ledgerline/platform/database/migrations/baseline/replaced/replaced';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { schemaOf } from './schema-of';

/** The migrations that the baselines replace, as they were. */
const FORMER = REPLACED;
const OF_READ_STORES = FORMER.filter(({ isOfReadStores }) => isOfReadStores);
const BASELINES = MIGRATIONS.slice(0, 2);

describe('the baseline', () => {
  it('makes the schema that the migrations made which it replaces', async () => {
    const former = await opened(FORMER);
    const fresh = await opened();
    expect(await migrate(fresh.url)).toEqual(namesOf(MIGRATIONS));
    await migrate(former.url);
    const schema = await schemaOf(fresh.client);
    expect(schema).toEqual(await schemaOf(former.client));
    expect(schema.filter((line) => line.startsWith('column public.events '))).toHaveLength(13);
    expect(schema.length).toBeGreaterThan(500);
  });

  it('is not applied again to an installation that those migrations made, which keeps its rows', async () => {
    const { url, client } = await opened(FORMER);
    await client.query(`insert into dictionary (scope, hash, text) values (1, gen_random_uuid(), 'kept')`);
    const epoch = await epochOf(client);
    expect(await migrate(url)).toEqual(namesOf(MIGRATIONS.slice(2)));
    expect(await migrate(url)).toEqual([]);
    expect(await epochOf(client)).toBe(epoch);
    expect((await client.query('select text from dictionary')).rows).toEqual([{ text: 'kept' }]);
    expect(await appliedTo(client)).toEqual(
      expect.arrayContaining([...FORMER.map(({ name }) => name), ...namesOf(BASELINES)]),
    );
  });

  it('makes the schema of a read store, and of the main database where it was one', async () => {
    const former = await opened(OF_READ_STORES);
    const fresh = await opened();
    const main = await opened();
    expect(await migrateReadStore(former.url)).toEqual(namesOf(READ_STORE_MIGRATIONS.slice(1)));
    expect(await migrateReadStore(fresh.url)).toEqual(namesOf(READ_STORE_MIGRATIONS));
    expect(await schemaOf(fresh.client)).toEqual(await schemaOf(former.client));
    await Promise.all([migrate(former.url), migrate(main.url)]);
    expect(await migrateReadStore(main.url)).toEqual([]);
    expect(await schemaOf(former.client)).toEqual(await schemaOf(main.client));
  });

  it.each([1, 7, 20, FORMER.length - 1])(
    'is reached by one start where only %i of those migrations ran',
    async (count) => {
      const begun = await opened(FORMER.slice(0, count));
      const fresh = await opened();
      await migrate(begun.url);
      await migrate(fresh.url);
      expect(await schemaOf(begun.client)).toEqual(await schemaOf(fresh.client));
      expect(await migrate(begun.url)).toEqual([]);
    },
  );

  it('is reached by one start of a read store that had some of them', async () => {
    const begun = await opened(OF_READ_STORES.slice(0, 3));
    const fresh = await opened();
    await migrateReadStore(begun.url);
    await migrateReadStore(fresh.url);
    expect(await schemaOf(begun.client)).toEqual(await schemaOf(fresh.client));
  });

  const databases: { readonly database: TestDatabase; readonly client: Client }[] = [];

  afterEach(async () => {
    for (const { database, client } of databases.splice(0)) {
      await client.end();
      await database.drop();
    }
  });

  /** A database in which these migrations ran, as TypeORM records them. */
  async function opened(migrations: typeof FORMER = []): Promise<{ readonly url: string; readonly client: Client }> {
    const database = await createTestDatabase({ migrated: false });
    const client = new Client({ connectionString: database.url });
    databases.push({ database, client });
    await client.connect();
    if (migrations.length > 0) await client.query(MIGRATIONS_TABLE);
    for (const { name, statements } of migrations) {
      await client.query(statements);
      await client.query('insert into migrations (timestamp, name) values ($1, $2)', [name.slice(-13), name]);
    }
    return { url: database.url, client };
  }
});

/** As TypeORM creates it. */
const MIGRATIONS_TABLE = `create table "migrations" (
  "id" serial not null, "timestamp" bigint not null, "name" character varying not null,
  constraint "PK_8c82d7f526340ab734260ea46be" primary key ("id")
)`;

const namesOf = (migrations: typeof MIGRATIONS) => migrations.map(({ name }) => name);

async function appliedTo(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migrations order by id');
  return rows.map(({ name }) => name);
}

async function epochOf(client: Client): Promise<string> {
  const { rows } = await client.query<{ epoch: string }>('select epoch from event_store_head');
  return rows[0]!.epoch;
}
