import { generateKeyPairSync } from 'node:crypto';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { openEventStore, type EventStoreAddress } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore, HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { guardedDouble } from '@test/event-store/eventstoredb-double/guarded-double';
import {
  appended,
  event,
  freshOrganization,
  freshStream,
  idsOf,
  readAll,
  sealing,
  signedBy,
} from '@test/event-store/laws/harness';
import { openSigning } from '@test/event-store/sign-heads';
import { rewriteHistory } from '@test/journeys/rewrite-history';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { migrateStore, readDirection, type Direction } from './migrate-store';

const SERVER = process.env.EVENTSTORE_URL;
const THERE: Direction = { from: 'postgres', to: 'eventstoredb' };
const BACK: Direction = { from: 'eventstoredb', to: 'postgres' };

describe('migrate-store', () => moving(guardedDouble));

if (SERVER !== undefined) {
  describe('migrate-store on a real EventStoreDB', () =>
    moving(() => Promise.resolve({ url: () => SERVER, stop: () => undefined })));
} else {
  it.skip('migrate-store on a real EventStoreDB: SKIPPED, as EVENTSTORE_URL names no server', () => undefined);
}

it('says how it is called', () => {
  expect(readDirection(['--from', 'eventstoredb', '--to', 'postgres'])).toEqual(BACK);
  for (const args of [[], ['--from', 'postgres', '--to', 'postgres'], ['--from', 'postgres', '--to', 'kafka'], ['-x']])
    expect(() => readDirection(args)).toThrow('Usage: npm run migrate-store');
});

it('moves no history that is another one than was signed', async () => {
  const database = await createTestDatabase();
  const server = await guardedDouble();
  const store = await openEventStore({ databaseUrl: database.url, auditSigningKey: sealing.key });
  const { signing, close } = await openSigning(database.url, sealing);
  const organization = freshOrganization();
  await appended(store, freshStream(organization), 'no-stream', [event({ name: 'Shop' }), event({ name: 'Store' })]);
  await signing.sign();
  await Promise.all([close(), store.close()]);
  await rewriteHistory(database.url, organization, 0);
  const installation = { databaseUrl: database.url, signingKey: sealing.key, isRunning: false };
  const moved = migrateStore(THERE, { ...installation, close: () => Promise.resolve() }, server.url(), () => undefined);
  await expect(moved).rejects.toThrow(`The chain of ${organization} does not hold.`);
  server.stop();
  await database.drop();
});

/** A server may hold anything already: it is copied to the first database before the tests begin. */
function moving(start: () => Promise<{ url(): string; stop(): void }>): void {
  const closing: (() => unknown)[] = [];
  const organizations = [freshOrganization(), freshOrganization()];
  let url: string;
  let database: TestDatabase;
  let one: EventStore;
  let other: EventStore;

  const opened = async (address: EventStoreAddress): Promise<EventStore> => {
    const store = await openEventStore(address);
    closing.push(() => store.close());
    return store;
  };
  const newDatabase = async (): Promise<TestDatabase> => {
    const made = await createTestDatabase();
    closing.push(() => made.drop());
    return made;
  };
  const move = async (
    direction: Direction,
    databaseUrl = database.url,
    { isRunning = false, signingKey = sealing.key } = {},
  ): Promise<string> => {
    const told: string[] = [];
    const installation = { databaseUrl, signingKey, isRunning, close: () => Promise.resolve() };
    await migrateStore(direction, installation, url, (text) => told.push(text));
    return told.join('\n');
  };
  const gone = async (name: string) => {
    const connections = sql`select from pg_stat_activity where datname = current_database() and application_name = ${name}`;
    const pool = openPool({ url: database.url, name: 'spec', max: 1 });
    await waitUntil(
      async () => (await run(pool, connections)).length,
      (count) => count === 0,
    );
    await pool.end();
  };
  const historyOf = async (store: EventStore, organization: string): Promise<HistoryEntry[]> => {
    const entries: HistoryEntry[] = [];
    for (let before: string | undefined; ;) {
      const page = await store.readBack({ organization, limit: 7, ...(before === undefined ? {} : { before }) });
      entries.push(...page.map((entry) => ({ ...entry, cursor: '' })));
      before = page.at(-1)?.cursor;
      if (page.length < 7) return entries;
    }
  };
  const expectSame = async (one: EventStore, other: EventStore) => {
    for (const organization of organizations) {
      const [history, copy] = await Promise.all([historyOf(one, organization), historyOf(other, organization)]);
      expect(history.length).toBeGreaterThan(0);
      expect(copy).toEqual(history);
      expect(await verifyChain(other, organization, { signedBy })).toMatchObject({ valid: true, unsealed: 0 });
    }
  };
  const decide = async (store: EventStore, count: number) => {
    for (let n = 0; n < count; n += 1) {
      const stream = freshStream(organizations[n % 2]);
      await appended(store, stream, 'no-stream', [event({ n, text: '\u0000\ud800 ä' }, { sealed: 'AAAA' }), event()]);
      await appended(store, stream, 1, [event({ n }, { type: 'SomethingElse', metadata: SECOND_SCHEMA })]);
    }
  };

  beforeAll(async () => {
    const server = await start();
    closing.push(() => server.stop());
    url = server.url();
    database = await newDatabase();
    await move({ from: 'eventstoredb', to: 'postgres' });
    one = await opened({ databaseUrl: database.url });
    other = await opened({ databaseUrl: database.url, eventStoreUrl: url });
    for (const organization of organizations)
      await appended(one, RECORD_KINDS.organizations.stream({ id: organization }), 'no-stream', [
        event({}, { type: 'OrganizationCreated' }),
      ]);
  });
  afterAll(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  it('brings every page of history to EventStoreDB, sealed and signed', async () => {
    await decide(one, 20);
    expect(await move(THERE)).toContain('(62 copied now)');
    await expectSame(one, other);
    const { signature } = await verifyChain(other, organizations[0]!, { signedBy });
    expect(signature).toBe('valid');
  });

  it('brings what was decided there to a new Postgres, and back to the old one', async () => {
    await decide(other, 6);
    const another = await newDatabase();
    await move(BACK, another.url);
    const back = await opened({ databaseUrl: another.url });
    await expectSame(other, back);
    expect(await move(BACK)).toContain('(18 copied now)');
    await expectSame(other, one);
    expect(await readAll(one)).toEqual(await readAll(back));
  });

  it('lets projections go on behind the event they have come to', async () => {
    await decide(one, 4);
    const events = await readAll(one);
    const { cursor } = events.at(-5)!;
    const pool = openPool({ url: database.url, name: 'spec', max: 1 });
    closing.push(() => pool.end());
    await pool.query(
      `insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
       values ('registry', 1, 0, $1, $2), ('links', 1, 0, 'of the intake log', '7')`,
      [await one.epoch(), cursor],
    );
    expect(await move(THERE, database.url, { isRunning: true })).toContain('The product is running: stop it');
    const checkpoints = async () => {
      const all = 'select epoch, cursor from projection_checkpoints order by projection_group desc';
      return (await pool.query<{ epoch: string; cursor: string }>(all)).rows;
    };
    expect((await checkpoints())[0]).toEqual({ epoch: await one.epoch(), cursor });
    expect(await move(THERE)).toMatch(/nothing has to be rebuilt.$/);
    const [registry, links] = await checkpoints();
    expect(registry!.epoch).toBe(await other.epoch());
    expect(links).toEqual({ epoch: 'of the intake log', cursor: '7' });
    expect(idsOf(await readAll(other, registry!.cursor))).toEqual(idsOf(events.slice(-4)));
  });

  it('takes the product for running where any part of it is connected', async () => {
    const projector = openPool({ url: database.url, name: 'projector', max: 1 });
    await projector.query('select');
    expect(await move(THERE)).toMatch(/The product is running: stop it.*$/);
    await projector.end();
    await gone('ledgerline-projector');
    expect(await move(THERE)).toMatch(/nothing has to be rebuilt.$/);
  });

  it('ends with what ends the sealing, and not the process', async () => {
    await decide(one, 1);
    const { privateKey: signingKey } = generateKeyPairSync('x25519'); // of a kind that signs nothing
    await expect(move(THERE, database.url, { signingKey })).rejects.toThrow('operation not supported');
  });

  it('refuses a target that holds anything else', async () => {
    const another = await newDatabase();
    const store = await opened({ databaseUrl: another.url });
    await decide(store, 1);
    await expect(move(BACK, another.url)).rejects.toMatchObject({
      name: 'StartFailure',
      message: 'The target is not empty: it holds events the source does not.',
    });
  });
}

const SECOND_SCHEMA = { 'ä"': '', correlation: 'order-17', $causationId: 'x', schemaVersion: '2' };
