import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { signUp } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EVENT_STORE, POOL } from '../tokens';

describe('health', () => {
  it('says ok while the process answers', async () => {
    const { status, body, headers } = await ask(api, 'GET /health');
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } });
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '599' });
    expect(headers['x-request-id']).toBeTruthy();
  });

  it('is not ready before a projector has ever run', async () => {
    const { status, body, headers } = await ask(api, 'GET /health/ready');
    expect({ status, body }).toEqual({
      status: 503,
      body: {
        status: 'unavailable',
        reason: 'the projector has not started yet',
        eventStore: 'ok',
        database: 'ok',
        projections: [],
      },
    });
    expect(headers['retry-after']).toBeTruthy();
  });

  it('is ready with its stores and a projection', async () => {
    await database.query(`insert into projection_groups (name, live_version) values ('websites', 1)`);
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
      values ('websites', 1, 0, 'e', '')`);
    const { status, body } = await ask(api, 'GET /health/ready');
    await database.query('delete from projection_checkpoints');
    const projections = [{ group: 'websites', version: 1, status: 'ok', events: 0, asOf: null, lagMs: 0 }];
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ok', eventStore: 'ok', database: 'ok', projections },
    });
  });

  it('says how long what a projection does not include has been waiting', async () => {
    const person = await signUp(api);
    await ask(api, 'POST /v1/organizations', { body: { name: 'Acme' }, ...person });
    await database.query(`insert into projection_groups (name, live_version) values ('registry', 1)`);
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, updated_at)
      values ('registry', 1, 0, 'e', '', clock_timestamp() - interval '9 s')`);
    const lag = async () => (await ask(api, 'GET /health/ready')).body.projections as { lagMs: number }[];
    expect((await lag())[0]?.lagMs).toBeGreaterThanOrEqual(9_000);
    const head = await api.app.get<EventStore>(EVENT_STORE).head(0);
    await database.query('update projection_checkpoints set cursor = $1', [head]);
    expect((await lag())[0]?.lagMs).toBe(0);
    await database.query('delete from projection_checkpoints');
  });

  it('names organizations whose events are not sealed, and is ready for the others', async () => {
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
      values ('websites', 1, 0, 'e', '')`);
    await database.query(
      `insert into sealing_faults values ('org_1', 'Its seals are missing.', '2026-01-02T03:04:05Z')`,
    );
    const { status, body } = await ask(api, 'GET /health/ready');
    await database.query('delete from sealing_faults');
    await database.query('delete from projection_checkpoints');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'ok',
      sealing: [{ organization: 'org_1', reason: 'Its seals are missing.', since: '2026-01-02T03:04:05.000Z' }],
    });
  });

  it('is not ready while a projection is stopped, and says which', async () => {
    await database.query(`insert into projection_groups (name, live_version) values ('links', 1)`);
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, events, stopped)
      values ('links', 1, 0, 'e', '', 3, null), ('links', 1, 1, 'e', '', 4, 'a poison event'),
        ('links', 1, 2, 'e', '', 0, 'The intake log was shortened')`);
    const { status, body, headers } = await ask(api, 'GET /health/ready');
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
    expect(JSON.stringify(body)).not.toContain('poison');
  });
});

let api: TestApi;
let database: Pool;

beforeAll(async () => {
  api = await startTestApi();
  database = api.app.get<Pool>(POOL);
});

afterAll(() => api.close());
