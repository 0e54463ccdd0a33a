import type { Pool } from 'pg';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../tokens';

describe('a destination', () => {
  it('shows neither address nor headers nor secret again, and nothing of them is stored in the clear', async () => {
    const { status, body } = await create({ headers: { 'X-Token': 'confidential' } });
    expect(status).toBe(201);
    const { id, secret } = body as { id: string; secret: string };
    expect(secret).toMatch(/^whsec_/);
    expect(body).toMatchObject({ url: 'https://hooks.example', headerNames: ['X-Token'], format: 'json', state: 'ok' });
    await change(id, { url: 'https://other.example/path-of-address', headers: null });
    await ask(api, `POST /v1/destinations/${id}/rotate`, owner);
    const { body: shown } = await ask(api, `GET /v1/destinations/${id}`, owner);
    expect(shown).toMatchObject({ url: 'https://other.example', headerNames: [] });
    expect(shown).not.toHaveProperty('secret');
    const entries = await readAuditLog(api, owner, { targetId: id });
    expect(entries.map(({ action }) => action)).toEqual([
      'destination.rotated',
      'destination.updated',
      'destination.created',
    ]);
    const { rows } = await api.app.get<Pool>(POOL).query<{ text: string }>('select e::text as text from events e');
    const all = JSON.stringify([shown, entries, rows, api.log]);
    for (const hidden of ['confidential', 'path-of-address', 'secret-path', secret.slice(6)])
      expect(all).not.toContain(hidden);
    expect(entries[0]?.changes).toEqual({ sealed: { before: 'encrypted', after: 'encrypted' } });
  });

  it('keeps its secret when its address changes, and no former value can be decrypted', async () => {
    const { body } = await create();
    const id = String(body.id);
    const keys = async () => {
      const found = `select count(*)::integer as keys from subject_keys where subject like '${id}.%' and wrapped is not null`;
      return (await api.app.get<Pool>(POOL).query<{ keys: number }>(found)).rows[0]?.keys;
    };
    expect(await keys()).toBe(1);
    await change(id, { url: 'https://other.example/' });
    await ask(api, `POST /v1/destinations/${id}/rotate`, owner);
    expect(await keys()).toBe(1);
    await ask(api, `DELETE /v1/destinations/${id}`, owner);
    expect(await keys()).toBe(0);
  });

  it('of one Idempotency-Key is one, whose secret is shown once', async () => {
    const headers = { ...owner.headers, 'idempotency-key': 'once' };
    const sent = { body: body({ name: 'Once' }), headers };
    const first = await ask(api, 'POST /v1/destinations', sent);
    const again = await ask(api, 'POST /v1/destinations', sent);
    expect(again.body).toMatchObject({ id: first.body.id, secret: null, replayed: true });
  });

  it.each([
    ['http://hooks.example/', 'over https'],
    ['https://127.0.0.1/', 'public address'],
    ['https://[::1]/', 'public address'],
    ['https://169.254.169.254/latest', 'public address'],
    ['https://localhost/', 'public address'],
    ['https://user:password@hooks.example/', 'must not hold a user name'],
    ['ftp://hooks.example/', 'http'],
  ])('does not lead to %s', async (url, reason) => {
    const { status, text } = await create({ url });
    expect([status, text]).toEqual([400, expect.stringContaining(reason)]);
  });

  it.each([
    ['headers', { headers: { 'Webhook-Id': '1' } }],
    ['headers', { headers: { host: 'a' } }],
    ['headers', { headers: { 'content-type': 'text/html' } }],
    ['sends', { sends: ['nothing.happened'] }],
    ['sends', { kind: 'audit', sends: ['tag.created'] }],
    ['begin', { begin: 0 }],
    ['begin', { kind: 'audit', sends: null, begin: 1_000_000 }],
    ['begin', { kind: 'audit', sends: null, begin: 'yesterday' }],
    ['kind', { kind: 'mail' }],
    ['openToMembers', { kind: 'audit', sends: null, openToMembers: true }],
  ])('is refused for its %s', async (field, more) => {
    const { status, body } = await create(more);
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ field: expect.stringMatching(`^${field}`) as string }]);
  });

  it('is not to be seen by a key, whatever it may do', async () => {
    const key = await newKey(api, owner, { scopes: ['read:data', 'write:data', 'read:audit'] });
    const path = `GET /v1/destinations?organizationId=${owner.organizationId}` as const;
    expect((await ask(api, path, { headers: { 'x-api-key': key } })).status).toBe(403);
  });

  it('has messages sent again by exactly one of ids, a range and all', async () => {
    const path = `POST /v1/destinations/${String((await create()).body.id)}/retry` as const;
    for (const wrong of [
      {},
      { from: 1 },
      { all: true, from: 1, to: 2 },
      { deliveryIds: [], all: true },
      { all: false },
    ])
      expect((await ask(api, path, { ...owner, body: wrong })).status).toBe(400);
    for (const right of [{ all: true }, { from: 1, to: 2 }, { deliveryIds: [] }])
      expect(await ask(api, path, { ...owner, body: right })).toMatchObject({ status: 200, body: { retried: 0 } });
  });
});

let api: TestApi;
let owner: Owner;
let names = 0;

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());

const body = (more: object) => ({
  organizationId: owner.organizationId,
  name: `Pager ${++names}`,
  kind: 'webhook',
  url: 'https://hooks.example/secret-path',
  sends: ['tag.created'],
  ...more,
});

const create = (more: object = {}) => ask(api, 'POST /v1/destinations', { body: body(more), headers: owner.headers });

const change = (id: string, changes: object) =>
  ask(api, `PATCH /v1/destinations/${id}`, { body: changes, headers: owner.headers });
