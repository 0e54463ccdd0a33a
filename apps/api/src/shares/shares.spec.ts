import { ask } from '@test/api/ask';
import { ok } from '@test/api/every-change';
import { newKey, ownerWithWebsite } from '@test/api/people';
import { startQueryApi, type QueryApi } from '@test/query/query-api';

describe('a share', () => {
  it('has an address, which is the same whenever it is read', async () => {
    const made = await share({ name: 'Board', panels: ['devices', 'pages'] });
    expect(made).toMatchObject({ name: 'Board', panels: ['pages', 'devices'], filters: [], hasPassword: false });
    expect(made.url).toMatch(/^http:\/\/localhost:3000\/share\/[0-9A-Z]{26}[\w-]{30}$/);
    const { body: read } = await ask(on.api, `GET /v1/shares/${made.id}`, on.owner);
    expect(read).toEqual(made);
    const { organizationId, websiteId } = on.owner;
    const list = async (website: string) =>
      (await ask(on.api, `GET /v1/shares?organizationId=${organizationId}&websiteId=${website}`, on.owner)).body.data;
    expect(await list(websiteId)).toContainEqual(made);
    expect(await list('site_other')).toEqual([]);
  });

  it('is made once by a request that is repeated, also with its password', async () => {
    const body = { ...own(), name: 'Repeated', password: 'correct horse battery' };
    const headers = { ...on.owner.headers, 'idempotency-key': 'share-once' };
    const first = await ask(on.api, 'POST /v1/shares', { body, headers });
    const second = await ask(on.api, 'POST /v1/shares', { body, headers });
    expect([first.status, second.body]).toEqual([201, first.body]);
    const other = { ...body, password: 'another password' };
    expect((await ask(on.api, 'POST /v1/shares', { body: other, headers })).status).toBe(409);
  });

  it('keeps its password unless it is changed, and shows it nowhere', async () => {
    const made = await share({ password: 'correct horse battery' });
    const change = async (body: object) =>
      (await ok(on.api, `PATCH /v1/shares/${made.id}`, { body, headers: on.owner.headers })).body;
    expect(await change({ password: 'correct horse battery' })).toEqual(made);
    expect(await change({ name: 'Renamed' })).toMatchObject({ hasPassword: true, revision: 1 });
    expect(await change({ password: 'another password' })).toMatchObject({ hasPassword: true, revision: 2 });
    expect(await change({ password: null })).toMatchObject({ hasPassword: false, revision: 3 });
    const path = `/v1/audit-log?organizationId=${on.owner.organizationId}&limit=200`;
    const { text, body } = await ask(on.api, `GET ${path}`, on.owner);
    const entries = body.data as { action: string; target: { id: string }; changes: object }[];
    const ofShare = entries.filter(({ target }) => target.id === made.id);
    expect(ofShare.map(({ action, changes }) => [action, changes])).toEqual([
      ['share.updated', { passwordHash: { before: 'encrypted', after: null } }],
      ['share.updated', { passwordHash: { before: 'encrypted', after: 'encrypted' } }],
      ['share.updated', { name: { before: 'Board', after: 'Renamed' } }],
      ['share.created', expect.objectContaining({ passwordHash: { before: null, after: 'encrypted' } })],
    ]);
    expect(text).not.toMatch(/correct horse|another password|[0-9a-f]{32}:[0-9a-f]{32}/);
  });

  it.each<[string, object, string, RegExp]>([
    ['a website of others', { websiteId: 'site_other' }, 'websiteId', /website of the organization/],
    ['an unknown panel', { panels: ['page'] }, 'panels[0]', /must be one of pages/i],
    ['a list twice', { panels: ['pages', 'pages'] }, 'panels', /twice/],
    [
      'an unknown filter',
      { filters: [{ field: 'brwser_name', op: 'eq', value: '/' }] },
      'filters[0]',
      /Did you mean browser_name/,
    ],
    ['a filter without a value', { filters: [{ field: 'path', op: 'in', value: 'x' }] }, 'filters[0].value', /list/],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', /future/],
    ['a short password', { password: 'short' }, 'password', /at least 10/],
  ])('is refused with %s', async (_, wrong, field, message) => {
    const body = { ...own(), name: 'Board', ...wrong };
    const answer = await ask(on.api, 'POST /v1/shares', { body, headers: on.owner.headers });
    expect([answer.status, answer.body.details]).toEqual([
      400,
      [expect.objectContaining({ field, message: expect.stringMatching(message) as string })],
    ]);
  });

  it('is made by keys with `write:data` on its website, and by no others', async () => {
    const resources = { [`website:${on.owner.websiteId}`]: [] };
    const status = async (grants: object) => {
      const headers = { 'x-api-key': await newKey(on.api, on.owner, grants) };
      return (await ask(on.api, 'POST /v1/shares', { body: { ...own(), name: 'Key' }, headers })).status;
    };
    expect(await status({ scopes: ['write:data'], resources })).toBe(201);
    expect(await status({ scopes: ['write:data'], resources: { 'website:site_other': [] } }).catch(() => 400)).toBe(
      400,
    );
    expect(await status({ scopes: ['read:data'], resources })).toBe(403);
  });

  it('is not found by other organizations', async () => {
    const made = await share({});
    const other = await ownerWithWebsite(on.api);
    for (const route of ['GET', 'DELETE'] as const)
      expect((await ask(on.api, `${route} /v1/shares/${made.id}`, other)).status).toBe(404);
  });
});

interface Share {
  readonly id: string;
  readonly url: string;
}

const own = () => ({ organizationId: on.owner.organizationId, websiteId: on.owner.websiteId });

async function share(settings: object): Promise<Share> {
  const body = { ...own(), name: 'Board', ...settings };
  return (await ok(on.api, 'POST /v1/shares', { body, headers: on.owner.headers })).body as unknown as Share;
}

let on: QueryApi;
beforeAll(async () => (on = await startQueryApi()));
afterAll(() => on.close());
