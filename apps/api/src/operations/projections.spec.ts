import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { askReady } from '@test/api/ask-ready';
import { newKey, OPERATOR, ownerWithWebsite, signUp, signUpOperator } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { Accounts } from '../identity/accounts/accounts';
import { POOL } from '../tokens';

const NEEDED = [{ needs: 'operator', of: 'installation' }];
const STRANGER = { 'x-forwarded-for': '192.0.2.7' };
const FIGURE = /events|rebuilt|"parked":|asOf|version|processes|pid|reason|sealing"?:|copier|findings/;

describe('figures of the whole installation', () => {
  it('are for operators alone', async () => {
    const owner = await ownerWithWebsite(api);
    const scopes = ['read:data', 'write:data', 'track:events', 'manage:flags', 'read:audit'];
    const key = { 'x-api-key': await newKey(api, owner, { scopes }) };
    for (const headers of [owner.headers, key]) {
      const { status, body } = await ask(api, 'GET /v1/projections', { headers });
      expect([status, body]).toMatchObject([403, { code: 'FORBIDDEN', details: NEEDED }]);
    }
    const operator = await signUpOperator(api);
    await askReady(api);
    const { status, body } = await ask(api, 'GET /v1/projections', operator);
    expect([status, body]).toMatchObject([200, { projections: [{ group: 'websites', events: 12 }], sealing: [{}] }]);
  });

  it('are of the address that an account has now', async () => {
    const operator = await signUpOperator(api, 'former@example.com');
    await database().query(`update auth."user" set email = 'elsewhere@example.com' where id = $1`, [operator.id]);
    expect((await ask(api, 'GET /v1/projections', operator)).status).toBe(403);
  });

  it.each(['operator+1@example.com', 'operator@example.com.evil.example', 'xoperator@example.com'])(
    'are not for %s',
    async (email) => {
      expect((await ask(api, 'GET /v1/projections', await signUp(api, email))).status).toBe(403);
    },
  );

  it('are not in the report on readiness that strangers read', async () => {
    await askReady(api);
    const { status, body, text } = await ask(api, 'GET /health/ready', { headers: STRANGER });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'degraded',
      eventStore: 'ok',
      database: 'ok',
      readStores: [{ store: 1, status: 'ok' }],
      projections: [{ group: 'websites', store: 1, status: 'ok', lagMs: 0 }],
      degradations: expect.arrayContaining([
        { kind: 'sealing', group: 'sealing', since: '2026-01-02T03:04:05.000Z' },
      ]) as object,
    });
    expect(text).not.toMatch(FIGURE);
    expect(text).not.toContain('org_1');
  });

  it('are there for who has the token of the metrics', async () => {
    const { databaseUrl: DATABASE_URL } = api.settings;
    const METRICS_TOKEN = 'a-token-of-metrics';
    const other = await startTestApi({ DATABASE_URL, METRICS_TOKEN });
    const headers = { ...STRANGER, authorization: `Bearer ${METRICS_TOKEN}` };
    const wrong = { authorization: 'Bearer another-token-of-metrics' };
    const with_ = await ask(other, 'GET /health/ready', { headers });
    const without = await ask(other, 'GET /health/ready');
    const guessed = await ask(other, 'GET /health/ready', { headers: wrong });
    await other.close();
    expect(with_.body.processes).toBeDefined();
    expect([without, guessed].map(({ status, body }) => [status, body.processes])).toEqual(
      Array(2).fill([200, undefined]),
    );
  });
});

describe("the demo's owner", () => {
  it('is the operator while nobody is named', async () => {
    const demo = await startTestApi();
    const owner = await signUp(demo);
    const other = await signUp(demo);
    const statusOf = async (person: typeof owner) => (await ask(demo, 'GET /v1/projections', person)).status;
    expect(await statusOf(owner)).toBe(403);
    await demo.app.get(Accounts).markDemoOwner(owner.email);
    await demo.app.get(Accounts).markDemoOwner(other.email); // there is one only
    const { body } = await ask(demo, 'GET /v1/auth/get-session', owner);
    const statuses = [await statusOf(owner), await statusOf(other)];
    await demo.close();
    expect([body.isOperator, ...statuses]).toEqual([true, 200, 403]);
  });

  it('is none where somebody is named', async () => {
    const owner = await signUp(api);
    await api.app.get(Accounts).markDemoOwner(owner.email);
    expect((await ask(api, 'GET /v1/projections', owner)).status).toBe(403);
  });
});

let api: TestApi;
const database = () => api.app.get<Pool>(POOL);

beforeAll(async () => {
  api = await startTestApi({ OPERATOR_EMAILS: `${OPERATOR},former@example.com` });
  await database().query(`
    insert into projection_groups (name, live_version) values ('websites', 1);
    insert into projection_checkpoints (projection_group, version, partition, epoch, cursor, events)
    values ('websites', 1, 0, 'e', '', 12);
    insert into sealing_faults values ('org_1', 'Its seals are missing.', '2026-01-02T03:04:05Z')`);
});
afterAll(() => api.close());
