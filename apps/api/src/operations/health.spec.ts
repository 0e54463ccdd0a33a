import type { Pool } from 'pg';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { ask } from '@test/api/ask';
import { askReady } from '@test/api/ask-ready';
import { signUp } from '@test/api/people';
import { addRunningProcesses } from '@test/api/running-processes';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EVENT_STORE, POOL } from '../tokens';

describe('health', () => {
  it('says ok while the process answers', async () => {
    const { status, body, headers } = await ask(api, 'GET /health');
    expect([status, body.status]).toEqual([200, 'ok']);
    expect(body.version).toMatch(/^1\.\d+\.\d+$/);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '599' });
    expect(headers['x-request-id']).toBeTruthy();
  });

  it('is not ready before a projector has ever run', async () => {
    const { status, body, headers } = await askReady(api);
    expect({ status, body }).toEqual({
      status: 503,
      body: {
        status: 'unavailable',
        reason: 'the projector has not started yet',
        eventStore: 'ok',
        database: 'ok',
        readStores: [{ store: 1, status: 'empty' }],
        projections: [],
        processes: PROCESSES,
        memory: MEMORY,
        findings: FINDINGS,
      },
    });
    expect(headers['retry-after']).toBeTruthy();
  });

  it('is ready with its stores and a projection', async () => {
    await database.query(`insert into projection_groups (name, live_version) values ('websites', 1)`);
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
      values ('websites', 1, 0, 'e', '')`);
    const { status, body } = await askReady(api);
    await database.query('delete from projection_checkpoints');
    const readStores = [{ store: 1, status: 'ok' }];
    const projections = [{ group: 'websites', store: 1, version: 1, status: 'ok', events: 0, asOf: null, lagMs: 0 }];
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'ok',
        eventStore: 'ok',
        database: 'ok',
        readStores,
        projections,
        processes: PROCESSES,
        memory: MEMORY,
        findings: FINDINGS,
      },
    });
  });

  it('shows how far a rebuild is', async () => {
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, events)
      values ('websites', 1, 0, 'e', '', 8), ('websites', 1, 1, 'e', '', 4), ('websites', 2, 0, 'e', '', 3),
        ('websites', 2, 1, 'e', '', 4)`);
    const { body } = await askReady(api);
    expect(body.projections).toMatchObject([{ group: 'websites', version: 1, events: 12, rebuilt: 7 }]);
    await database.query(`update projection_groups set tables = '{"hourly": {"pending": 2}}'`);
    const upgraded = await askReady(api);
    const { text } = await ask(api, 'GET /metrics');
    await database.query(`delete from projection_checkpoints; update projection_groups set tables = '{}'`);
    const projections = [{ status: 'rebuilding', events: 12, rebuilt: 7, pending: ['hourly'] }];
    expect([upgraded.status, upgraded.body]).toMatchObject([200, { status: 'degraded', projections }]);
    expect(text).toContain('ledgerline_projection_pending_tables{group="websites"} 1\n');
    expect(text).toContain('ledgerline_projection_rebuilt_events{group="websites",partition="1"} 4\n');
  });

  it('says how long what a projection does not include has been waiting, by the log and the clock', async () => {
    const person = await signUp(api);
    await ask(api, 'POST /v1/organizations', { body: { name: 'Acme' }, ...person });
    await database.query(`insert into projection_groups (name, live_version) values ('registry', 1)`);
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, updated_at)
      values ('registry', 1, 0, 'e', '', clock_timestamp() - interval '1 h'), ('websites', 1, 0, 'e', '', now())`);
    const report = async () => (await askReady(api)).body as { status: string; projections: { lagMs: number }[] };
    expect((await report()).projections[0]?.lagMs).toBeLessThan(60_000); // and not since the checkpoint moved
    await database.query(`update events set recorded_at = recorded_at - interval '20 s'`);
    const late = await report();
    expect(late.projections[0]?.lagMs).toBeGreaterThanOrEqual(20_000);
    expect(late).toMatchObject({ status: 'degraded', degradations: [{ kind: 'lag', group: 'registry' }] });
    const head = await api.app.get<EventStore>(EVENT_STORE).head(0);
    await database.query('update projection_checkpoints set cursor = $1', [head]);
    expect(await report()).toMatchObject({ status: 'ok', projections: [{ lagMs: 0 }, { lagMs: 0 }] });
    await database.query('delete from projection_checkpoints');
  });

  it('names organizations whose events are not sealed, and is ready for the others', async () => {
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
      values ('websites', 1, 0, 'e', '')`);
    await database.query(
      `insert into sealing_faults values ('org_1', 'Its seals are missing.', '2026-01-02T03:04:05Z')`,
    );
    const { status, body } = await askReady(api);
    await database.query('delete from sealing_faults');
    await database.query('delete from projection_checkpoints');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'degraded',
      degradations: [{ kind: 'sealing', reason: 'org_1: Its seals are missing.', since: '2026-01-02T03:04:05.000Z' }],
      sealing: [{ organization: 'org_1', reason: 'Its seals are missing.', since: '2026-01-02T03:04:05.000Z' }],
    });
  });

  it('shows what waits in Kafka, and is not ready while nothing is copied', async () => {
    await database.query(`
      insert into intake_log (partitions, topic) values (2, 'hits');
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
      values ('websites', 1, 0, 'e', '');
      insert into intake_topic_offsets (topic, partition, next_offset, end_offset, caught_up_at, lost)
      values ('hits', 0, 7, 7, clock_timestamp(), 0), ('hits', 1, 5, 9, clock_timestamp() - interval '9 s', 3),
        ('other', 0, 0, 8, clock_timestamp(), 0);
      insert into intake_refused_messages values ('hits', 0, 'no JSON', 2, 1, 4)`);
    const behind = await askReady(api);
    await database.query(`update intake_topic_offsets set stopped = 'It is another topic.' where topic = 'hits'`);
    const stopped = await askReady(api);
    await database.query(`
      delete from intake_log; delete from intake_topic_offsets; delete from intake_refused_messages;
      delete from projection_checkpoints`);
    expect([behind.status, behind.body]).toMatchObject([
      200,
      { status: 'degraded', degradations: [{ kind: 'lag', group: 'copier' }] },
    ]);
    expect(behind.body.copier).toMatchObject({
      topic: 'hits',
      status: 'ok',
      reason: 'Kafka dropped 3 messages before they were copied.',
      partitions: [
        { partition: 0, status: 'ok', messages: 0, lagMs: 0 },
        { partition: 1, status: 'ok', messages: 4 },
      ],
      lost: 3,
      refused: 2,
    });
    const { partitions } = behind.body.copier as { partitions: { lagMs: number }[] };
    expect(partitions[1]?.lagMs).toBeGreaterThanOrEqual(9_000);
    expect([stopped.status, stopped.body.copier]).toMatchObject([503, { reason: 'It is another topic.' }]);
  });

  it('is degraded while events are parked that were not accepted', async () => {
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
      values ('websites', 1, 0, 'e', '5'), ('websites', 1, 1, 'e', '5')`);
    await database.query(`
      insert into parked_events (projection_group, version, partition, epoch, cursor, after, event_id, event_type,
        subject, order_key, error, tries, parked_at, accepted_at)
      values ('websites', 1, 0, 'e', '2', '1', 'a', 'PageViewed', 'site_1', 'k', 'it quotes data', 1, '2026-01-02T03:04:05Z', null),
        ('websites', 1, 1, 'e', '3', '2', 'b', 'PageViewed', 'site_1', 'k', null, 1, '2026-01-02T04:00:00Z', null),
        ('websites', 1, 1, 'e', '4', '2', 'c', 'PageViewed', 'site_1', 'k', 'x', 1, '2025-01-02T04:00:00Z', now()),
        ('websites', 2, 1, 'e', '4', '2', 'c', 'PageViewed', 'site_1', 'k', 'x', 1, '2025-01-02T04:00:00Z', null)`);
    const degraded = await askReady(api);
    await database.query('update parked_events set accepted_at = now()');
    const accepted = await askReady(api);
    await database.query('delete from projection_checkpoints; delete from parked_events');
    const reason = '2 events are parked: retry or accept them (npm run projections -- parked list).';
    expect([degraded.status, degraded.body]).toMatchObject([
      200,
      {
        status: 'degraded',
        projections: [{ group: 'websites', status: 'ok', parked: 2 }],
        degradations: [{ kind: 'parked', group: 'websites', store: 1, reason, since: '2026-01-02T03:04:05.000Z' }],
      },
    ]);
    expect(JSON.stringify(degraded.body)).not.toContain('quotes');
    expect(accepted.body).toMatchObject({ status: 'ok' });
    expect(accepted.body).not.toHaveProperty('degradations');
  });

  it('is not ready while a projection is stopped, and says which', async () => {
    await database.query(`insert into projection_groups (name, live_version) values ('links', 1)`);
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, events, stopped)
      values ('links', 1, 0, 'e', '', 3, null), ('links', 1, 1, 'e', '', 4, 'a reason that quotes data'),
        ('links', 1, 2, 'e', '', 0, 'The intake log was shortened')`);
    const { status, body, headers } = await askReady(api);
    expect(status).toBe(503);
    expect(headers['retry-after']).toBeTruthy();
    expect(body).toMatchObject({
      status: 'unavailable',
      projections: [
        {
          group: 'links',
          version: 1,
          status: 'stopped',
          reason: 'The intake log was shortened',
          events: 7,
          asOf: null,
          lagMs: 0,
        },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('quotes');
  });
});

let api: TestApi;
let database: Pool;

/** In the order of their names. */
const PROCESSES = [
  { app: 'api', pid: process.pid, status: 'ok', silentMs: 0 },
  { app: 'projector', pid: 7, status: 'ok', silentMs: 0 },
  { app: 'tracker', pid: 7, status: 'ok', silentMs: 0 },
];

const MB = expect.any(Number) as number;
const MEMORY = { heap: MB, heapLimit: MB, queries: 0, queriesLimit: MB, waiting: 0 };

/** All just read. */
const FINDINGS = [
  ['projections'],
  ['lag'],
  ['reconciliation'],
  ['processes'],
  ['sealing'],
  ['sealing_lag'],
  ['event_store'],
  ['copier'],
  ['monitors'],
  ['deliveries'],
  ['backup'],
  ['projections', 1],
  ['lag', 1],
  ['reconciliation', 1],
].map(([finding, store]) => ({
  finding,
  ...(store === undefined ? {} : { store }),
  status: 'known',
  ageMs: expect.any(Number) as number,
}));

beforeAll(async () => {
  api = await startTestApi();
  database = api.app.get<Pool>(POOL);
  await addRunningProcesses(database);
});

afterAll(() => api.close());
