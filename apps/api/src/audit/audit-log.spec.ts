import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { askAuditLog, readAuditLog } from '@test/api/audit-log';
import { changeEverything, EVERY_ACTION, exportPath, ok } from '@test/api/every-change';
import { colleague, newKey, ownerWithWebsite, signUp, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { changeEvent, rewriteHistory } from '@test/journeys/rewrite-history';
import { waitUntil } from '@test/wait-until';

describe('the audit log', () => {
  it('has an entry for every change, newest first', async () => {
    const owner = await ownerWithWebsite(api);
    await changeEverything(api, owner);
    const entries = await readAuditLog(api, owner);
    expect(entries.map(({ action }) => action).reverse()).toEqual(EVERY_ACTION);
    expect(entries.map(({ position }) => position)).toEqual(entries.map((_, at) => entries.length - 1 - at));
  });

  it('says of a change what it was before, who made it, from where, and by which request', async () => {
    const owner = await ownerWithWebsite(api);
    const headers = {
      ...owner.headers,
      'x-request-id': 'req-7',
      'x-correlation-id': 'ticket-42',
      'user-agent': 'spec/1',
    };
    const body = { name: 'Store', allowedOrigins: ['partner.example'] };
    await ok(api, `PATCH /v1/websites/${owner.websiteId}`, { body, headers });
    const [entry] = await readAuditLog(api, owner);
    expect(entry).toEqual({
      id: expect.stringMatching(UUID) as string,
      position: 2,
      action: 'website.updated',
      occurredAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      recordedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      actor: { type: 'user', id: owner.id, name: 'Ada' },
      target: { type: 'website', id: owner.websiteId, name: 'Store' },
      changes: {
        name: { before: 'Shop', after: 'Store' },
        allowedOrigins: { before: [], after: ['partner.example'] },
      },
      metadata: {
        eventType: 'WebsiteUpdated',
        stream: `${owner.organizationId}-website-${owner.websiteId}`,
        causation: expect.stringMatching(UUID) as string,
        command: expect.stringMatching(UUID) as string,
        commandType: 'UpdateWebsite',
        app: 'api',
        eventVersion: '2',
        schemaVersion: '2',
      },
      requestId: 'req-7',
      ip: '127.0.0.1',
      userAgent: 'spec/1',
      correlationId: 'ticket-42',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      proof: 'sealed',
    });
  });

  it('says of what was deleted what it was last', async () => {
    const owner = await ownerWithWebsite(api);
    await changeEverything(api, owner);
    const deleted = (await readAuditLog(api, owner)).filter(({ action }) => action.endsWith('.deleted'));
    const changes = Object.fromEntries(deleted.map((entry) => [entry.action, entry.changes]));
    const last = (before: unknown) => ({ before, after: null });
    expect(changes).toEqual({
      'link.deleted': {
        forwardQuery: last(true),
        name: last('Spring'),
        slug: last(expect.stringMatching(/^\w{8}$/)),
        tagIds: last([]),
        targetUrl: last('https://example.com/'),
        trackVisits: last(true),
      },
      'website.deleted': {
        name: last('News'),
        domain: last('blog.example'),
        isPublic: last(false),
        allowedOrigins: last([]),
        timezone: last('UTC'),
        visitorIdentity: last('daily'),
      },
      'api_key.deleted': {
        name: last('Server'),
        scopes: last(['read:data']),
        tags: last(['old']),
        enabled: last(false),
        start: last(expect.stringMatching(/^svc_\w{4}$/)),
      },
    });
  });

  it('shows the rights a new member was given, and those that were removed', async () => {
    const owner = await ownerWithWebsite(api);
    const { id } = await colleague(api, owner, 'admin');
    await ok(api, `DELETE /v1/organizations/${owner.organizationId}/members/${id}`, owner);
    await newKey(api, owner, { scopes: ['read:audit'], tags: ['ci'] });
    const [key, removed, joined, invited] = await readAuditLog(api, owner);
    expect(key!.changes).toEqual({
      name: { before: null, after: 'A key' },
      scopes: { before: null, after: ['read:audit'] },
      tags: { before: null, after: ['ci'] },
      start: { before: null, after: expect.stringMatching(/^svc_\w{4}$/) as string },
    });
    expect(removed!.changes).toEqual({ role: { before: 'admin', after: null } });
    expect(joined).toMatchObject({
      target: { type: 'member', id },
      changes: { role: { before: null, after: 'admin' } },
    });
    expect(invited).toMatchObject({ target: { type: 'invitation' }, changes: { role: { after: 'admin' } } });
  });

  it('shows apart from the time of a change when it was recorded, which no hash covers', async () => {
    const owner = await ownerWithWebsite(api);
    const [before] = await readAuditLog(api, owner);
    const pool = openPool({ url: api.settings.databaseUrl, name: 'spec', max: 1 });
    await run(pool, sql`update events set recorded_at = '2020-01-01T00:00:00Z' where id = ${before!.id}`);
    await pool.end();
    const [after] = await readAuditLog(api, owner);
    const { hash, occurredAt } = before!;
    expect(after).toMatchObject({ recordedAt: '2020-01-01T00:00:00.000Z', occurredAt, hash, proof: 'sealed' });
    const { text } = await ask(api, `GET ${exportPath(owner, 'csv')}`, owner);
    expect(text.split('\r\n')[2]).toMatch(/,sealed,2020-01-01T00:00:00\.000Z$/);
  });

  it('marks entries that were forged in the database, also in pages and in CSV', async () => {
    const owner = await ownerWithWebsite(api);
    for (const name of ['One', 'Two', 'Three', 'Four']) await rename(owner, name);
    await changeEvent(api.settings.databaseUrl, owner.organizationId, 2);
    await rewriteHistory(api.settings.databaseUrl, owner.organizationId, 4, 4);
    const proofs = ['sealed', 'unproven', 'sealed', 'unproven', 'sealed', 'sealed'];
    for (const limit of [1, 2, 200])
      expect((await readAuditLog(api, owner, { limit })).map(({ proof }) => proof)).toEqual(proofs);
    const renamed = await readAuditLog(api, owner, { action: 'website.updated', limit: 1 });
    expect(renamed.map(({ proof }) => proof)).toEqual(proofs.slice(0, 4));
    const { text } = await ask(api, `GET ${exportPath(owner, 'csv')}`, owner);
    expect(
      text
        .trim()
        .split('\r\n')
        .map((line) => line.split(',').at(-2)),
    ).toEqual(['proof', 'sealed', ...proofs]);
  });

  it('is verified line by line, up to the signed head or the first place that was forged', async () => {
    const owner = await ownerWithWebsite(api);
    for (const name of ['One', 'Two', 'Three']) await rename(owner, name);
    const path = `/v1/audit-log/verify?organizationId=${owner.organizationId}`;
    await waitUntil(
      () => ask(api, `GET ${path}`, owner),
      ({ body }) => body['unsealed'] === 0,
    );
    const whole = await ask(api, `GET ${path}&format=ndjson`, owner);
    expect(whole.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const { body } = await ask(api, `GET ${path}`, owner);
    const { signedAt: _, signature: __, ...found } = body;
    expect(lastLine(whole.text)).toMatchObject({ ...found, valid: true, events: 5, head: { revision: 4 } });
    await changeEvent(api.settings.databaseUrl, owner.organizationId, 2);
    const forged = lastLine((await ask(api, `GET ${path}&format=ndjson`, owner)).text);
    const firstInvalid = { revision: 2, finding: 'changed', id: expect.stringMatching(UUID) as string };
    expect(forged).toMatchObject({ valid: false, signature: null, firstInvalid });
    const stranger = await signUp(api);
    expect((await ask(api, `GET ${path}&format=ndjson`, stranger)).status).toBe(404);
    expect((await ask(api, `HEAD ${path}&format=ndjson`, owner)).status).toBe(200);
  });

  it('names the key that made a change', async () => {
    const owner = await ownerWithWebsite(api);
    const headers = { 'x-api-key': await newKey(api, owner, { name: 'Deploy', scopes: ['write:data', 'read:audit'] }) };
    const link = { organizationId: owner.organizationId, name: 'Sale', targetUrl: 'https://example.com/' };
    await ok(api, 'POST /v1/links', { body: link, headers });
    const [entry] = await readAuditLog(api, { organizationId: owner.organizationId, headers });
    expect(entry).toMatchObject({
      action: 'link.created',
      actor: { type: 'api_key', name: 'Deploy' },
      target: { type: 'link', name: 'Sale' },
      changes: { targetUrl: { before: null, after: 'https://example.com/' } },
    });
  });

  it('never shows a secret, its hash, or a password', async () => {
    const owner = await ownerWithWebsite(api);
    const secrets = await changeEverything(api, owner);
    const { text } = await askAuditLog(api, owner, { limit: 200 });
    const exported = await Promise.all(
      ['ndjson', 'csv'].map((format) => ask(api, `GET ${exportPath(owner, format)}`, owner)),
    );
    const shown = [text, ...exported.map((each) => each.text)].join('\n');
    const hidden = [...secrets, ...(await storedHashes()), 'correct horse', owner.headers.cookie.split('=')[1]!];
    expect(hidden.length).toBeGreaterThan(8);
    for (const secret of hidden) expect(shown).not.toContain(secret);
    expect(shown).not.toMatch(/svc_\w{5}/);
    expect(text).not.toContain('secretId');
  });
});

const UUID = /^[0-9a-f-]{36}$/;

const lastLine = (text: string): unknown => JSON.parse(text.trim().split('\n').at(-1)!);

const rename = ({ websiteId, headers }: Owner, name: string) =>
  ok(api, `PATCH /v1/websites/${websiteId}`, { body: { name }, headers });

/** Returns the hashes of keys and of passwords, in every way of writing them that could appear. */
async function storedHashes(): Promise<string[]> {
  const pool = openPool({ url: api.settings.databaseUrl, name: 'spec', max: 1 });
  const secrets = await run<{ hash: Buffer }>(pool, sql`select hash from api_key_secrets`);
  const passwords = await run<{ password: string }>(pool, sql`select password from auth.account`);
  await pool.end();
  return [
    ...secrets.flatMap(({ hash }) => [hash.toString('hex'), hash.toString('base64')]),
    ...passwords.map(({ password }) => password),
  ];
}

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '100000', LIMIT_AUDIT_EXPORT_PER_MINUTE: '1000' });
  await api.signHeads();
});

afterAll(() => api.close());
