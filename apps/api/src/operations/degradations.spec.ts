import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { askReady } from '@test/api/ask-ready';
import { addRunningProcesses } from '@test/api/running-processes';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../tokens';

describe('the readiness of an api beside other processes', () => {
  it('shows events that failed in tables beside alone as parked, and not as a rebuild that goes on', async () => {
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, events)
      values ('websites', 1, 0, 'e', '5', 100), ('websites', 3, 0, 'e', '5', 99);
      update projection_groups set tables = '{"hourly": {"pending": 3}}' where name = 'websites';
      insert into parked_events (projection_group, version, partition, epoch, cursor, after, event_id, event_type,
        subject, order_key, error, tries, parked_at)
      values ('websites', 3, 0, 'e', '2', '1', 'a', 'PageViewed', 'site_1', 'k', 'it quotes', 1, '2026-01-02T03:04:05Z')`);
    const { body } = await askReady(api);
    const { text } = await ask(api, 'GET /metrics');
    await database.query(`
      delete from projection_checkpoints; delete from parked_events; update projection_groups set tables = '{}'`);
    expect(body).toMatchObject({
      status: 'degraded',
      projections: [{ group: 'websites', status: 'parked', parked: 1, events: 100, rebuilt: 99 }],
      degradations: [{ kind: 'parked', group: 'websites', store: 1, since: '2026-01-02T03:04:05.000Z' }],
    });
    expect(JSON.stringify(body)).toContain('1 event is parked in tables that an upgrade fills');
    expect(text).toContain('ledgerline_projection_parked_events{group="websites",partition="0"} 1\n');
  });

  it.each([
    [
      'a process without a heartbeat',
      `update processes set beat_at = now() - interval '7 s' where app = 'tracker'`,
      {
        kind: 'process',
        group: 'tracker',
        reason: expect.stringMatching(
          /^Process 7 has sent no heartbeat for 7 s: .* No other one runs, so hits/,
        ) as string,
      },
    ],
    [
      'that no projector runs',
      `delete from processes where app = 'projector'`,
      {
        kind: 'process',
        group: 'projector',
        reason: 'No projector runs, so answers get older, and no monitor is checked.',
      },
    ],
    [
      'a store that another process cannot write',
      `update processes set stores = '[{"store": "kafka", "operation": "write", "reason": "Kafka is unreachable",
        "since": "2026-01-02T03:04:05.000Z"}, {"store": "event_store", "operation": "read", "reason": null, "since": null}]'
       where app = 'tracker'`,
      {
        kind: 'store',
        group: 'kafka',
        reason: 'A tracker cannot write to Kafka: Kafka is unreachable',
        since: '2026-01-02T03:04:05.000Z',
      },
    ],
    [
      'a monitor whose check is long past',
      `insert into monitor_schedule values ('mon_1', 60, now() - interval '10 s', null),
        ('mon_2', 60, now() - interval '2 s', null), ('mon_3', 60, now() - interval '20 s', now() + interval '5 s')`,
      { kind: 'monitors', group: 'monitors', reason: expect.stringMatching(/^A monitor is overdue/) as string },
    ],
    [
      'a fault of sealing that is of no organization',
      `insert into sealing_faults values ('', 'The heads of the event store cannot be signed.', '2026-01-02T03:04:05Z')`,
      {
        kind: 'sealing',
        group: 'sealing',
        reason: 'The heads of the event store cannot be signed.',
        since: '2026-01-02T03:04:05.000Z',
      },
    ],
  ])('is degraded by %s', async (_, fault, degradation) => {
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
      values ('websites', 1, 0, 'e', '')`);
    await database.query(fault);
    const { status, body } = await askReady(api);
    await database.query(`delete from projection_checkpoints; delete from monitor_schedule; delete from sealing_faults;
      delete from processes`);
    await addRunningProcesses(database);
    expect([status, body]).toMatchObject([200, { status: 'degraded', degradations: [degradation] }]);
  });

  it.each(['The intake log was shortened', 'The event store is not the one that was read', 'The log was replaced'])(
    'shows why a projection is stopped where a log is the cause: %s',
    async (stopped) => {
      await database.query(
        `insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, stopped)
         values ('registry', 1, 0, 'e', '', $1)`,
        [stopped],
      );
      const { status, body } = await askReady(api);
      await database.query('delete from projection_checkpoints');
      expect([status, body]).toMatchObject([503, { projections: [{ group: 'registry', reason: stopped }] }]);
    },
  );
});

let api: TestApi;
let database: Pool;

beforeAll(async () => {
  api = await startTestApi();
  database = api.app.get<Pool>(POOL);
  await addRunningProcesses(database);
  await database.query(`insert into projection_groups (name, live_version) values ('registry', 1), ('websites', 1)`);
});

afterAll(() => api.close());
