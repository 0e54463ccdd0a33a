import type { Pool } from 'pg';
import { ask } from '../../../../test/api/ask';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';
import { POOL } from '../tokens';

describe('health', () => {
  it('says ok while the process answers', async () => {
    const { status, body, headers } = await ask(api, 'GET /health');
    expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } });
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '599' });
    expect(headers['x-request-id']).toBeTruthy();
  });

  it('is ready with its stores', async () => {
    const { status, body } = await ask(api, 'GET /health/ready');
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ok', eventStore: 'ok', database: 'ok', projections: [] },
    });
  });

  it('is not ready while a projection is stopped, and says which', async () => {
    await database.query(`insert into projection_groups (name, live_version) values ('links', 1)`);
    await database.query(`
      insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, events, stopped)
      values ('links', 1, 0, 'e', '', 3, null), ('links', 1, 1, 'e', '', 4, 'a poison event')`);
    const { status, body, headers } = await ask(api, 'GET /health/ready');
    expect(status).toBe(503);
    expect(headers['retry-after']).toBeTruthy();
    expect(body).toMatchObject({
      status: 'unavailable',
      projections: [{ group: 'links', version: 1, status: 'stopped', events: 7, asOf: null }],
    });
  });
});

let api: TestApi;
let database: Pool;

beforeAll(async () => {
  api = await startTestApi();
  database = api.app.get<Pool>(POOL);
});

afterAll(() => api.close());
