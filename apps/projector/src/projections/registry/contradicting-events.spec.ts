import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@ledgerline/contracts/json';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { decidedIn } from '@ledgerline/platform/event-store/event-store';
import { createTestDatabase } from '@test/postgres/test-database';
import { openProjectionPool } from '../../open-pool';
import { bind } from '../../runner/bound-group';
import { listParked } from '../../runner/list-projections';
import { openLiveVersion } from '../../versions/live-version';
import { registryGroup } from './registry-group';

it('parks an event that names another organization than its stream, and goes on behind it', async () => {
  const database = await createTestDatabase();
  const pool = openProjectionPool(database.url, { max: 2 });
  const store = await openEventStore({ databaseUrl: database.url });
  const stream = 'org_1-link-link_1';
  const events = [
    recorded('LinkCreated', 'org_1', { createdBy: 'usr_1' }),
    recorded('LinkUpdated', 'org_2', { before: {} }),
    recorded('LinkUpdated', 'org_1', { name: 'Last', before: {} }),
  ];
  await store.append(stream, 'no-stream', events);
  await store.append('global-slug-go', 'no-stream', [recorded('SlugReserved', 'org_2')]);
  const ids = decidedIn((await store.read(0, '', { max: 9 })).events).map(({ type, data }) => [
    type,
    data.organizationId,
  ]);
  expect(ids).toEqual([
    ['LinkCreated', 'org_1'],
    ['LinkUpdated', 'org_1'],
    ['SlugReserved', 'org_2'],
  ]);

  const group = bind(registryGroup(), store, pool);
  await openLiveVersion(pool, group, store);
  const runner = group.runner({ partition: 0, batch: 10, version: 1 });
  while ((await runner.step()) !== 'idle');
  expect(await listParked([group])).toMatchObject([{ eventId: events[1]!.id, subject: stream }]);
  const links = await run(pool, sql`select organization_id, name from registry_v1.links`);
  expect(links).toEqual([{ organization_id: 'org_1', name: 'Last' }]);
  await store.close();
  await pool.end();
  await database.drop();
});

const recorded = (type: string, organizationId: string, more: JsonObject = {}) => ({
  id: randomUUID(),
  type,
  data: {
    linkId: 'link_1',
    slug: 'go',
    name: 'Go',
    targetUrl: 'https://a.test/',
    ...plainLink,
    organizationId,
    ...more,
  },
  metadata: { eventVersion: '1' },
});
