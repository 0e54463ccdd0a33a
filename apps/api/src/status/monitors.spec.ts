import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../tokens';

describe('a monitor over HTTP', () => {
  it('is created with defaults, listed, changed, paused and deleted', async () => {
    const created = await create({});
    expect(created).toMatchObject({ status: 201, body: { ...PLAIN, ...MONITOR, revision: 0 } });
    const path = `/v1/monitors/${String(created.body.id)}` as const;
    const changes = { intervalSeconds: 30, method: 'HEAD', expectedStatus: 204, paused: true };
    const changed = await ask(api, `PATCH ${path}`, { body: changes, headers });
    expect(changed).toMatchObject({ status: 200, body: { ...changes, revision: 1 } });
    expect(changed.headers['x-log-position']).toMatch(/^e:/);
    expect(await listed()).toEqual([changed.body]);
    expect((await ask(api, `GET ${path}`, { headers })).body).toEqual(changed.body);
    const defaults = await ask(api, `PATCH ${path}`, { body: { method: null, paused: null }, headers });
    expect(defaults.body).toMatchObject({ method: 'GET', paused: false, revision: 2 });
    expect((await ask(api, `DELETE ${path}`, { headers })).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await ask(api, `DELETE ${path}`, { headers })).status).toBe(404);
    expect(await actions(3)).toEqual(['monitor.deleted', 'monitor.updated', 'monitor.updated']);
  });

  it('takes a POST with a body, a longer timeout, and what makes it degraded', async () => {
    const options = {
      method: 'POST',
      body: '{"ping":true}',
      timeoutSeconds: 30,
      unwantedText: 'error',
      slowAfterMs: 800,
      certificateDays: 14,
      ignoreTlsErrors: true,
    };
    const { status, body } = await create(options);
    expect([status, body]).toEqual([201, expect.objectContaining(options)]);
    const path = `/v1/monitors/${String(body.id)}` as const;
    const refused = await ask(api, `PATCH ${path}`, { body: { method: 'GET' }, headers });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'body' }] } });
    const changes = { method: 'GET', body: null, slowAfterMs: null, ignoreTlsErrors: null };
    expect((await ask(api, `PATCH ${path}`, { body: changes, headers })).body).toMatchObject({
      method: 'GET',
      body: null,
      slowAfterMs: null,
      ignoreTlsErrors: false,
      certificateDays: 14,
    });
    await ask(api, `DELETE ${path}`, { headers });
  });

  it('is created once for an Idempotency-Key, and changed only where If-Match fits', async () => {
    const once = { ...headers, 'idempotency-key': 'once' };
    const body = { ...monitor(), headers: { authorization: SECRET } };
    const first = await ask(api, 'POST /v1/monitors', { body, headers: once });
    expect(await ask(api, 'POST /v1/monitors', { body, headers: once })).toMatchObject({
      status: 201,
      body: first.body,
    });
    const path = `/v1/monitors/${String(first.body.id)}` as const;
    const late = { ...headers, 'if-match': '7' };
    expect((await ask(api, `PATCH ${path}`, { body: { name: 'X' }, headers: late })).status).toBe(409);
    expect((await ask(api, `DELETE ${path}`, { headers: late })).status).toBe(409);
    await ask(api, `DELETE ${path}`, { headers });
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ url: 'ftp://example.com/' }, 'url'],
    [{ url: 'https://user:secret@example.com/' }, 'url'],
    [{ url: 'http://127.0.0.1/' }, 'url'],
    [{ url: 'http://0x7f.1/' }, 'url'],
    [{ url: 'http://[::ffff:10.0.0.1]/' }, 'url'],
    [{ url: 'https://localhost:3000/' }, 'url'],
    [{ method: 'PUT' }, 'method'],
    [{ body: 'a=b' }, 'body'],
    [{ method: 'POST', body: '' }, 'body'],
    [{ method: 'HEAD', unwantedText: 'error' }, 'unwantedText'],
    [{ slowAfterMs: 0 }, 'slowAfterMs'],
    [{ certificateDays: 366 }, 'certificateDays'],
    [{ ignoreTlsErrors: 'yes' }, 'ignoreTlsErrors'],
    [{ intervalSeconds: 29 }, 'intervalSeconds'],
    [{ intervalSeconds: 3_601 }, 'intervalSeconds'],
    [{ timeoutSeconds: 31 }, 'timeoutSeconds'],
    [{ timeoutSeconds: 1.5 }, 'timeoutSeconds'],
    [{ expectedStatus: 99 }, 'expectedStatus'],
    [{ expectedText: '' }, 'expectedText'],
    [{ method: 'HEAD', expectedText: 'ok' }, 'expectedText'],
    [{ headers: [] }, 'headers'],
    [{ headers: { 'a b': 'x' } }, 'headers'],
    [{ headers: { Host: 'x' } }, 'headers'],
    [{ headers: { accept: 1 } }, 'headers'],
    [{ headers: { accept: 'a\r\nb: c' } }, 'headers'],
    [{ headers: { accept: 'a', Accept: 'b' } }, 'headers'],
    [{ paused: 'yes' }, 'paused'],
    [{ colour: 'red' }, 'colour'],
  ])('is refused when it has %j', async (wrong, field) => {
    expect(await create(wrong)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] },
    });
  });
});

describe('the headers of a monitor', () => {
  it('are shown by name alone, and are in no event, table or entry of the audit log', async () => {
    const { body, text } = await create({ headers: { 'x-token': SECRET, accept: 'text/html' } });
    expect(body.headerNames).toEqual(['accept', 'x-token']);
    const audited = await ask(api, `GET /v1/audit-log?organizationId=${owner.organizationId}&limit=1`, { headers });
    expect(audited.body.data).toMatchObject([
      { action: 'monitor.created', changes: { sealedHeaders: { after: 'encrypted' } } },
    ]);
    expect(text + audited.text).not.toContain(SECRET);
    for (const table of ['events', 'idempotency_keys', 'subject_keys'])
      expect(JSON.stringify((await database().query(`select * from ${table}`)).rows)).not.toContain(SECRET);
    await ask(api, `DELETE /v1/monitors/${String(body.id)}`, { headers });
  });

  it('can be read no longer once others are in force, or the monitor is deleted', async () => {
    const { body } = await create({ headers: { 'x-token': SECRET } });
    expect(await keysOf(body.id)).toEqual([true]);
    const path = `/v1/monitors/${String(body.id)}` as const;
    const others = { headers: { 'x-token': 'another' } };
    for (const revision of [1, 1])
      expect((await ask(api, `PATCH ${path}`, { body: others, headers })).body).toMatchObject({ revision });
    expect(await keysOf(body.id)).toEqual([false, true]);
    expect((await ask(api, `PATCH ${path}`, { body: { name: 'Renamed' }, headers })).body).toMatchObject({
      headerNames: ['x-token'],
      revision: 2,
    });
    expect((await ask(api, `PATCH ${path}`, { body: { headers: null }, headers })).body).toMatchObject({
      headerNames: [],
    });
    expect(await keysOf(body.id)).toEqual([false, false]);
    await ask(api, `DELETE ${path}`, { headers });
  });

  /** Returns whether each key that there ever was for headers of the monitor still exists. */
  async function keysOf(monitorId: unknown): Promise<boolean[]> {
    const text = `select wrapped is not null as alive from subject_keys where subject like $1 order by key_id`;
    const { rows } = await database().query<{ alive: boolean }>(text, [`${String(monitorId)}.%`]);
    return rows.map(({ alive }) => alive);
  }
});

const SECRET = 'secret-of-the-monitored-server';
const MONITOR = { name: 'Shop', url: 'https://example.com/' };

const PLAIN = {
  method: 'GET',
  intervalSeconds: 60,
  timeoutSeconds: 10,
  expectedStatus: null,
  expectedText: null,
  unwantedText: null,
  slowAfterMs: null,
  certificateDays: null,
  ignoreTlsErrors: false,
  body: null,
  headerNames: [],
  paused: false,
};

let api: TestApi;
let owner: Owner;
let headers: Owner['headers'];

const database = () => api.app.get<Pool>(POOL);

const monitor = () => ({ organizationId: owner.organizationId, ...MONITOR });

const create = (more: object) => ask(api, 'POST /v1/monitors', { body: { ...monitor(), ...more }, headers });

async function listed(): Promise<unknown> {
  return (await ask(api, `GET /v1/monitors?organizationId=${owner.organizationId}`, { headers })).body.data;
}

async function actions(limit: number): Promise<unknown> {
  const path = `/v1/audit-log?organizationId=${owner.organizationId}&limit=${limit}` as const;
  const { body } = await ask(api, `GET ${path}`, { headers });
  return (body.data as { action: string }[]).map(({ action }) => action);
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  headers = owner.headers;
});

afterAll(() => api.close());
