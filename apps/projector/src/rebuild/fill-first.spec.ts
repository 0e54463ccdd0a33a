import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type EventStore, erasureStream } from '@ledgerline/platform/event-store/event-store';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { customEvent } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { putInForce } from '../erasures/put-in-force';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { readCursors } from '../runner/checkpoint';
import { Projector } from '../runner/projector';
import { liveVersion, openLiveVersion } from '../versions/live-version';
import { fillFirst } from './fill-first';
import { withRebuildLock, rebuild } from './rebuild';

describe('the first projection of a long log', () => {
  it('fills a version in bulk without erased visitors, switches to it, and goes on', async () => {
    await erase(customEvent('site_1', 0));
    await startProjector();
    await projected(2);
    await waitUntil(schemas, (names) => names.join(' ') === 'websites_v2');
    expect(await readLayout(pool, 'websites')).toMatchObject({ version: 2, previous: null });
    expect(await count()).toBe(events.length - 1);
    log.add(customEvent('site_1', 100));
    await projected(2);
    expect(await count()).toBe(events.length);
    expect(await rebuild({ group, flip: false })).toMatchObject({ differences: [] });
  });

  it('projects a few events batch by batch', async () => {
    await startProjector(events.length);
    await projected(1);
    expect(await schemas()).toEqual(['websites_v1']);
  });

  it('projects batch by batch what cannot be filled in bulk, and leaves nothing of that', async () => {
    const { data, ...wrong } = customEvent('site_1', 100);
    log.add({ ...wrong, data: { ...data, name: 7 } } as unknown as ObservedEvent);
    await startProjector();
    await projected(1);
    expect(await schemas()).toEqual(['websites_v1']);
    expect(await count()).toBe(events.length);
    const parked = await run<{ id: string }>(pool, sql`select event_id as id from parked_events`);
    expect(parked).toEqual([{ id: wrong.id }]);
  });

  it('waits for another process that fills', async () => {
    await openLiveVersion(pool, group, log);
    await withRebuildLock(group, async () => {
      await startProjector();
      await waitUntil(() => tries > 1);
      expect((await readCursors(pool, { group: 'websites', version: 1 })).get(0)).toMatchObject({ cursor: '' });
    });
    await projected(2);
    expect(await count()).toBe(events.length);
  });

  const events = Array.from({ length: 30 }, (_, n) => customEvent('site_1', n));
  let database: TestDatabase;
  let pool: Pool;
  let store: EventStore;
  let log: MemoryLog;
  let group: BoundGroup;
  let folder: string;
  let projector: Projector | undefined;
  let tries = 0;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 8 });
    store = await openEventStore({ databaseUrl: database.url });
    tries = 0;
    folder = mkdtempSync(join(tmpdir(), 'first-'));
    log = new MemoryLog(events);
    group = bind(new WebsitesGroup(pool), log, pool, { spillTo: folder });
  });
  afterEach(async () => {
    await projector?.stop();
    await Promise.all([store.close(), pool.end()]);
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  async function startProjector(few = 1): Promise<void> {
    const logger = createLogger('projector', 'silent');
    projector = new Projector({ pool, groups: [group], maintenance: [], logger, fillFirst: first(few) });
    await projector.start();
  }

  const first = (few: number) =>
    fillFirst(async (readStore) => {
      tries++;
      await putInForce(readStore, store);
    }, few);

  /** Resolves when the live version is that one, and has all of the log. */
  const projected = (version: number) =>
    waitUntil(
      async () => [await liveVersion(pool, group), (await readCursors(pool, { group: 'websites', version })).get(0)],
      ([live, at]) => live === version && typeof at === 'object' && at.cursor === String(log.hits.length - 1),
    );

  async function erase({ receivedAt, data: { websiteId, visitorId } }: ReturnType<typeof customEvent>) {
    const erasureId = 'era_1';
    const subject = { websiteId, visitors: [visitorId] };
    const data = { organizationId: 'org_1', erasureId, subject, destroyedKeyIds: [] };
    const metadata = { occurredAt: new Date(receivedAt + 1).toISOString(), schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'SubjectErased', data, metadata };
    await store.append(erasureStream('org_1', erasureId), 'no-stream', [event]);
  }

  async function schemas(): Promise<readonly string[]> {
    const found = sql`select nspname as name from pg_namespace where starts_with(nspname, 'websites_v') order by 1`;
    return (await run<{ name: string }>(pool, found)).map(({ name }) => name);
  }

  async function count(): Promise<number> {
    const text = `select count(*)::integer as rows from websites_v${await liveVersion(pool, group)}.custom_events`;
    return (await run<{ rows: number }>(pool, { text, values: [] }))[0]?.rows ?? 0;
  }
});
