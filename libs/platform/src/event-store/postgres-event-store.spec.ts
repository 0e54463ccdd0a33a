import { setTimeout } from 'node:timers/promises';
import { Client, type Pool, type PoolClient } from 'pg';
import { copyEvents } from '@test/event-store/copy-tables';
import { eventStoreLaws } from '@test/event-store/laws/event-store.laws';
import {
  appended,
  event,
  freshOrganization,
  freshStream,
  idsOf,
  readAll,
  sealing,
} from '@test/event-store/laws/harness';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { openPool, run } from '../database/pool';
import { sql } from '../database/sql';
import { LogFollower } from '../log/log-follower';
import { EpochChanged } from '../log/log-reader';
import { checkAppend } from './appended-events';
import type { EventStore } from './event-store';
import { keyIdOf, readStatements } from './head-statement';
import { appendGroup, PostgresAppender } from './postgres-appender';
import { PostgresEventStore } from './postgres-event-store';
import { verifyChain } from './verify-chain';

const KILL = `select pg_terminate_backend(pid, 60000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name like 'ledgerline-%'`;

eventStoreLaws('the event store on Postgres', async () => {
  const database = await createTestDatabase();
  const admin = await connect(database);
  return {
    open: () => Promise.resolve(new PostgresEventStore(database.url)),
    killConnections: async () => {
      await admin.query(KILL);
    },
    copy: async () => {
      await copyEvents(admin, 'public', 'older_copy');
      return async () => {
        await admin.query(KILL);
        await copyEvents(admin, 'older_copy', 'public');
      };
    },
    visibleWithinMs: 0,
    close: async () => {
      await admin.end();
      await database.drop();
    },
  };
});

describe('the event store on Postgres, besides', () => {
  let database: TestDatabase;
  let store: EventStore;
  let admin: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new PostgresEventStore(database.url);
    admin = await connect(database);
  });
  afterAll(async () => {
    await store.close();
    await admin.end();
    await database.drop();
  });

  it('takes no event before statement 0 is signed with its key', async () => {
    const empty = await createTestDatabase();
    const signed = new PostgresEventStore(empty.url, sealing.key);
    const client = await connect(empty);
    await client.query(`create function swallow() returns trigger language plpgsql as 'begin return null; end'`);
    await client.query(
      'create trigger swallow before insert on head_statements for each row execute function swallow()',
    );
    await expect(signed.append(freshStream(), 'no-stream', [event()])).rejects.toThrow('before statement 0 is signed');
    expect((await client.query('select from events')).rowCount).toBe(0);
    await client.query('drop trigger swallow on head_statements');
    await appended(signed, freshStream(), 'no-stream', [event()]);
    const statements = await readStatements(client, 0, 10);
    expect(statements).toMatchObject([{ number: 0, heads: [], keyId: keyIdOf(sealing.key) }]);
    expect(statements[0]!.signedAt <= (await readAll(signed))[0]!.recordedAt.toISOString()).toBe(true);
    await signed.close();
    await client.end();
    await empty.drop();
  });

  it('lets a reader go on while another session holds a write transaction open', async () => {
    const holder = await connect(database);
    await holder.query('begin');
    await holder.query("insert into dictionary (scope, hash, text) values (1, gen_random_uuid(), 'held')");
    const before = await store.head(0);
    const own = event();
    await appended(store, freshStream(), 'no-stream', [own]);
    expect(idsOf(await readAll(store, before))).toEqual([own.id]);
    await holder.query('rollback');
    await holder.end();
  });

  it('announces the types of new events', async () => {
    const payloads: (string | undefined)[] = [];
    admin.on('notification', ({ payload }) => payloads.push(payload));
    await admin.query('listen ledgerline_events');
    await appended(store, freshStream(), 'no-stream', [event(), { ...event(), type: 'SomethingElse' }, event()]);
    await waitUntil(
      () => payloads,
      (all) => all.includes(`${event().type},SomethingElse`),
    );
    await admin.query('unlisten ledgerline_events');
  });

  it('shows a tailing reader nothing of transactions that are rolled back, and everything of slow ones', async () => {
    const seen: string[] = [];
    const stop = new AbortController();
    const follower = new LogFollower(store, {
      from: await store.head(0),
      signal: stop.signal,
      onBatch: ({ events }) => void seen.push(...idsOf(events)),
    });
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const client = await connect(database);
        const own = event({ n });
        await client.query('begin');
        await (
          await appendGroup(client, [[checkAppend(freshStream(), 'no-stream', [own])]])
        )();
        await setTimeout((n * 37) % 50);
        await client.query(n % 3 === 0 ? 'rollback' : 'commit');
        await client.end();
        return n % 3 === 0 ? [] : [own.id];
      }),
    );
    await waitUntil(
      () => seen.length,
      (length) => length >= outcomes.flat().length,
    );
    stop.abort();
    await follower.ended;
    expect([...seen].sort()).toEqual(outcomes.flat().sort());
    const positions = (await readAll(store)).map(({ cursor }) => Number(cursor));
    expect(positions).toEqual(positions.map((_, at) => at + 1));
  });

  it('answers an id that is stored elsewhere with a conflict, and fails no other append', async () => {
    const taken = event();
    await appended(store, freshStream(), 'no-stream', [taken]);
    const streams = Array.from({ length: 5 }, () => freshStream());
    const results = await Promise.all(
      streams.map((stream, n) => store.append(stream, 'no-stream', [n === 2 ? taken : event()])),
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false, true, true]);
    expect(await store.readStream(streams[2]!)).toEqual([]);
  });

  it('holds no stream while it waits for one that comes before it, whatever each is expected to be', async () => {
    const organization = freshOrganization();
    const early = `${organization}-a`;
    const late = `${organization}-z`;
    for (const stream of [early, late]) await appended(store, stream, 'no-stream', [event()]);
    const [one, other] = await Promise.all([connect(database), connect(database)]);
    for (const client of [one, other]) await client.query('begin');
    const append = await appendGroup(one, [[checkAppend(early, 0, [event()])]]);
    await append();
    const waiting = appendGroup(other, [
      [checkAppend(late, 'no-stream', [event()])],
      [checkAppend(early, 0, [event()])],
    ]);
    const isBlocked = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await waitUntil(
      async () => (await run(admin, isBlocked)).length,
      (blocked) => blocked === 1,
    );
    await one.query('select from streams where name = $1 for update nowait', [late]);
    await one.query('commit');
    const decisions = await (await waiting)();
    expect(decisions.flat().map(({ outcome }) => outcome)).toEqual(['conflict', 'conflict']);
    await other.query('rollback');
    await Promise.all([one.end(), other.end()]);
  });

  it('names a cursor beyond the head instead of waiting for ever', async () => {
    await expect(store.read(0, '999999999', { max: 1 })).rejects.toThrow(EpochChanged);
  });

  it.each([
    ['is lost at its commit', 'commit', 'OutcomeUnknown'],
    ['gets no connection', 'connect', 'LogUnavailable'],
  ])('says whether it knows that nothing was stored: a write that %s', async (_, statement, name) => {
    const pool = openPool({ url: database.url, name: 'spec', max: 2, pipeline: true });
    const appender = new PostgresAppender(breakingAt(statement, pool));
    const stream = freshStream();
    const append = checkAppend(stream, 'no-stream', [event()]);
    await expect(appender.flush([[append]])).rejects.toMatchObject({ name });
    await pool.end();
  });

  it('rejects with LogUnavailable once it is closed', async () => {
    const other = new PostgresEventStore(database.url);
    await other.close();
    await expect(other.append(freshStream(), 'no-stream', [event()])).rejects.toMatchObject({ name: 'LogUnavailable' });
  });

  it.each([
    ['changed', 3, [`update events set data = '{"forged":true}' where organization = $1 and chain_revision = 3`]],
    ['dropped', 3, ['delete from events where organization = $1 and chain_revision = 3']],
    ['dropped', 5, ['delete from events where organization = $1 and chain_revision = 5']],
    [
      'swapped',
      3,
      [
        'update events set position = -position where organization = $1 and chain_revision = 3',
        'update events set position = position - 1 where organization = $1 and chain_revision = 4',
        'update events set position = 1 - position where organization = $1 and chain_revision = 3',
      ],
    ],
    ['swapped', 1, [exchanged('data', 1, 4)]],
    ['swapped', 1, [exchanged('chain_revision', 1, 4)]],
    ['swapped', 3, [exchanged('data, metadata', 3, 4)]],
    ['head_mismatch', 5, [`update organization_chains set hash = sha256(hash) where organization = $1`]],
    ['inserted', 6, [copiedAs('chain_revision')]],
    ['inserted', 6, [copiedAs('chain_revision + 1')]],
    ['inserted', 6, [copiedAs('chain_revision + 1000')]],
  ])('names the place of a stored event that was %s: %i', async (finding, revision, tampering) => {
    const organization = freshOrganization();
    for (let n = 0; n < 6; n += 1) await appended(store, freshStream(organization), 'no-stream', [event({ n })]);
    expect((await verifyChain(store, organization)).valid).toBe(true);
    for (const statement of tampering) await admin.query(statement, [organization]);
    expect(await verifyChain(store, organization)).toMatchObject({ valid: false, firstInvalid: { finding, revision } });
  });
});

/** A copy of the newest event above it. */
function copiedAs(chainRevision: string): string {
  return `
  insert into events
  select position + 1000000, organization, ${chainRevision}, stream, 99, gen_random_uuid(), type, data, sealed, metadata, hash,
    previous_hash, recorded_at
  from events where organization = $1 and chain_revision = 5`;
}

/** The columns of two events. */
function exchanged(columns: string, one: number, other: number): string {
  return `
  update events set (${columns}) = (
    select ${columns} from events other
    where other.organization = $1 and other.chain_revision = ${one + other} - events.chain_revision
  ) where organization = $1 and chain_revision in (${one}, ${other})`;
}

async function connect({ url }: TestDatabase): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Returns a pool whose connections break whenever they reach this statement. */
function breakingAt(statement: string, pool: Pool): Pool {
  const breaking = (client: PoolClient) => {
    const query = client.query.bind(client) as (text: unknown, values?: unknown[]) => Promise<unknown>;
    client.query = ((text: unknown, values?: unknown[]) =>
      text === statement
        ? Promise.reject(new Error('Connection terminated unexpectedly'))
        : query(text, values)) as typeof client.query;
    return client;
  };
  const connect = async () => breaking(await pool.connect());
  const refuse = () => Promise.reject(new Error('Connection terminated unexpectedly'));
  return Object.assign(Object.create(pool) as Pool, { connect: statement === 'connect' ? refuse : connect });
}
