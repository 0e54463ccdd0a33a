import { NestFactory } from '@nestjs/core';
import { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { loadSettings } from '@ledgerline/platform/config/settings';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { type IntakeLog, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { restartIntakeHeads, signIntakeHeads } from '@ledgerline/platform/intake-log/signed-intake-heads';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { guardedDouble, type GuardedDouble } from '@test/event-store/eventstoredb-double/guarded-double';
import { sealing } from '@test/event-store/laws/harness';
import { linkClick } from '@test/events/observed-events';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { waitUntil } from '@test/wait-until';
import { ProjectorModule } from '../projector.module';

jest.setTimeout(120_000);

describe('a projector whose Postgres is an older copy than its EventStoreDB', () => {
  it('stops the partition that was signed further, at work and at start, until an operator accepts the log', async () => {
    await send(database, LOST, 3);
    await send(database, OTHER, 3);
    await sign(database);
    const older = await copyTestDatabase(database);
    const projector = await startProjector(older);
    await projected(older, 6);
    await send(database, LOST, 2);
    await sign(database);

    await stoppedWith(older, SENTENCE);
    await send(older, LOST, 6);
    await send(older, OTHER, 1);
    await projected(older, 7);
    await projector.close();
    await query(older, sql`update projection_checkpoints set stopped = null`); // a restart finds it by itself
    const restarted = await startProjector(older);
    await stoppedWith(older, SENTENCE);
    await send(older, OTHER, 1);
    await projected(older, 8);

    await withParts(older, (parts) => restartIntakeHeads(parts, new Date()));
    await projected(older, 14);
    await restarted.close();
    expect(await stopped(older)).toEqual([]);
    await older.drop();
  });

  it('projects nothing of such a partition at its first start, though it has grown past the signed heads', async () => {
    await send(database, LOST, 1);
    const older = await copyTestDatabase(database);
    await send(database, LOST, 4);
    await sign(database);
    await send(older, LOST, 6);
    const projector = await startProjector(older);
    await stoppedWith(older, SENTENCE);
    await projected(older, 0);
    await projector.close();
    await older.drop();
  });

  const LOST = 0;
  const OTHER = 1;
  const SENTENCE =
    /^The intake log does not continue its signed heads: partition 0 was signed up to offset 5 at \S+; restore the newer copy, or accept this one with `npm run audit -- heads --restart`\.$/;

  let server: GuardedDouble;
  let database: TestDatabase;
  let sent = 0;

  beforeEach(async () => {
    server = await guardedDouble();
    database = await createTestDatabase();
  });
  afterEach(async () => {
    server.stop();
    await database.drop();
  });

  async function startProjector({ url }: TestDatabase) {
    const settings = loadSettings({
      AUTH_SECRET: 'a secret for tests that is long enough 0123456789',
      KEY_PEPPER: 'a pepper for tests that is long enough 0123456789',
      AUDIT_SIGNING_KEY: sealing.key.export({ format: 'pem', type: 'pkcs8' }) as string,
      DATABASE_URL: url,
      DATA_DIR: temporaryFolder('projector'),
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: server.url(),
      INTAKE_PARTITIONS: '2',
    });
    const module = ProjectorModule.with(settings, createLogger('projector', 'silent'));
    return NestFactory.createApplicationContext(module, { logger: false });
  }

  async function send({ url }: TestDatabase, partition: number, count: number): Promise<void> {
    const log: IntakeLog = await openIntakeLog({ databaseUrl: url, partitions: 2 });
    const subject = subjectIn(partition);
    for (let n = 0; n < count; n++) await log.send([{ event: linkClick(subject, sent++), subject, dedupe: 'never' }]);
    await log.close();
  }

  const sign = (on: TestDatabase): Promise<void> => withParts(on, (parts) => signIntakeHeads(parts, new Date()));

  async function withParts({ url }: TestDatabase, work: (parts: Parts) => Promise<void>): Promise<void> {
    const pool = new Pool({ connectionString: url });
    const store = await openEventStore({ databaseUrl: url, eventStoreUrl: server.url() });
    try {
      await work({ store, database: pool, key: sealing.key, app: 'spec' });
    } finally {
      await Promise.all([store.close(), pool.end()]);
    }
  }

  async function query<Row extends object>({ url }: TestDatabase, text: ReturnType<typeof sql>): Promise<Row[]> {
    const pool = new Pool({ connectionString: url });
    try {
      return await run<Row>(pool, text);
    } finally {
      await pool.end();
    }
  }

  async function projected(on: TestDatabase, clicks: number): Promise<void> {
    const count = sql`select coalesce(sum(clicks), 0)::integer as clicks from links_v1.link_clicks_15min where span = 1`;
    const look = () => query<{ clicks: number }>(on, count).catch(() => []);
    const [row] = await waitUntil(look, ([seen]) => (seen?.clicks ?? 0) >= clicks);
    expect(row).toEqual({ clicks });
  }

  const stopped = async (on: TestDatabase): Promise<string[]> => {
    const marked = sql`select stopped from projection_checkpoints where stopped is not null and projection_group = 'links'`;
    return (await query<{ stopped: string }>(on, marked)).map((row) => row.stopped);
  };

  async function stoppedWith(on: TestDatabase, why: RegExp): Promise<void> {
    const reasons = await waitUntil(
      () => stopped(on),
      ({ length }) => length > 0,
      20_000,
    );
    expect(reasons).toEqual([expect.stringMatching(why)]);
  }
});

type Parts = Parameters<typeof signIntakeHeads>[0] & { readonly store: EventStore };

const subjectIn = (partition: number): string =>
  ['link_1', 'link_2', 'link_3', 'link_4', 'link_5'].find((subject) => partitionOf(subject, 2) === partition)!;
