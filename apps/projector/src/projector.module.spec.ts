import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { loadSettings, type Settings } from '@ledgerline/platform/config/settings';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { readIntakeHeads, readSignedHeads } from '@ledgerline/platform/intake-log/signed-intake-heads';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { sealing } from '@test/event-store/laws/harness';
import { linkClick } from '@test/events/observed-events';
import { removeNewestSegment } from '@test/intake-log/forge-segment';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { waitUntil } from '@test/wait-until';
import { ProjectorModule } from './projector.module';

describe('the projector', () => {
  it('signs the heads of the intake log, and says with an error that it was shortened', async () => {
    const log = await openIntakeLog({ databaseUrl: database.url });
    for (const n of [1, 2, 3]) await log.send([{ event: linkClick('link_1', n), subject: 'link_1', dedupe: 'never' }]);
    await log.close();
    const signing = await start();
    const heads = await waitUntil(() => readSignedHeads(store));
    expect(heads.signed).toMatchObject(await readIntakeHeads(pool));
    await signing.close();

    await removeNewestSegment(pool);
    await start();
    expect(await waitUntil(() => lines.find(({ task }) => task === 'sign intake heads'))).toMatchObject({
      level: 'error',
      msg: expect.stringMatching(/^The intake log is not what was written: partition \d, offset 3: /) as string,
    });
  });

  let database: TestDatabase;
  let settings: Settings;
  let pool: Pool;
  let store: EventStore;
  let running: INestApplicationContext | undefined;
  const lines: { readonly level: string; readonly msg: string; readonly task?: string }[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    settings = loadSettings({
      AUTH_SECRET: 'a secret for tests that is long enough 0123456789',
      KEY_PEPPER: 'a pepper for tests that is long enough 0123456789',
      AUDIT_SIGNING_KEY: sealing.key.export({ format: 'pem', type: 'pkcs8' }) as string,
      DATABASE_URL: database.url,
      DATA_DIR: temporaryFolder('projector'),
    });
    pool = new Pool({ connectionString: database.url });
    store = await openEventStore({ databaseUrl: database.url });
  });
  afterAll(async () => {
    await running?.close();
    await Promise.all([store.close(), pool.end()]);
    await database.drop();
  });

  const start = async () => {
    const logger = createLogger('projector', 'error', { write: (line) => lines.push(JSON.parse(line) as never) });
    running = await NestFactory.createApplicationContext(ProjectorModule.with(settings, logger), { logger: false });
    return running;
  };
});
