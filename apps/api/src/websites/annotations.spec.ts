import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

const AT = '2026-11-27T12:00:00.000Z';
const LASTED = { at: null, from: AT, to: '2026-11-28T12:00:00.000Z' };
const PLAIN = { kind: null, websiteId: null, linkId: null, at: null, from: null, to: null };

describe('an annotation over HTTP', () => {
  it('is created, listed, changed and deleted, about a website, a link or the organization', async () => {
    const deploy = await create({
      text: 'Version 2',
      at: '2026-11-27T13:00:00+01:00',
      kind: 'deploy',
      websiteId: owner.websiteId,
    });
    expect(deploy).toMatchObject({
      status: 201,
      body: { ...PLAIN, text: 'Version 2', at: AT, kind: 'deploy', websiteId: owner.websiteId, revision: 0 },
    });
    const ofLink = await create({ text: 'Printed', at: AT, linkId });
    const ofAll = await create({ text: 'Holidays', ...LASTED });
    expect(ofAll.body).toMatchObject({ ...PLAIN, ...LASTED });
    expect(await listed()).toEqual([deploy.body, ofLink.body, ofAll.body]);
    expect(await listed(`&websiteId=${owner.websiteId}`)).toEqual([deploy.body]);
    expect(await listed(`&linkId=${linkId}`)).toEqual([ofLink.body]);
    const path = `/v1/annotations/${String(deploy.body.id)}` as const;
    const changed = await ask(api, `PATCH ${path}`, { body: { text: 'Version 2.1', ...LASTED }, headers });
    expect(changed).toMatchObject({ status: 200, body: { text: 'Version 2.1', ...LASTED, revision: 1 } });
    expect(
      (await ask(api, `PATCH ${path}`, { body: { text: 'X' }, headers: { ...headers, 'if-match': '0' } })).status,
    ).toBe(409);
    expect((await ask(api, `GET ${path}`, { headers })).body).toEqual(changed.body);
    for (const { id } of [deploy.body, ofLink.body, ofAll.body])
      expect((await ask(api, `DELETE /v1/annotations/${String(id)}`, { headers })).status).toBe(204);
    expect(await listed()).toEqual([]);
    const entries = (await readAuditLog(api, owner)).filter(({ target }) => target.id === deploy.body.id);
    expect(entries.map(({ action, target }) => [action, target.name])).toEqual([
      ['annotation.deleted', 'Version 2.1'],
      ['annotation.updated', 'Version 2.1'],
      ['annotation.created', 'Version 2'],
    ]);
  });

  it.each([
    [{ text: '' }, 'text'],
    [{ text: 'x'.repeat(501) }, 'text'],
    [{ kind: 'note' }, 'kind'],
    [{ at: null }, 'at'],
    [{ at: '2026-11-27' }, 'at'],
    [{ at: '2026-02-30T12:00:00Z' }, 'at'],
    [{ at: AT, from: AT }, 'at'],
    [{ at: null, from: AT }, 'at'],
    [{ at: null, from: AT, to: AT }, 'to'],
    [{ websiteId: 7 }, 'websiteId'],
    [{ colour: 'red' }, 'colour'],
  ])('is refused when it has %j, and nothing is stored', async (wrong, field) => {
    expect(await create({ text: 'A', at: AT, ...wrong })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] },
    });
    expect(await listed()).toEqual([]);
  });

  it('is about a website or link of its organization, and not about both', async () => {
    const other = await ownerWithWebsite(api);
    const missing = (noun: string) => ({ status: 404, body: { error: `${noun} not found` } });
    expect(await create({ text: 'A', at: AT, websiteId: other.websiteId })).toMatchObject(missing('Website'));
    for (const id of [await newLink(other), 'link_none'])
      expect(await create({ text: 'A', at: AT, linkId: id })).toMatchObject(missing('Link'));
    expect(await create({ text: 'A', at: AT, linkId, websiteId: owner.websiteId })).toMatchObject({
      status: 400,
      body: { details: [expect.objectContaining({ field: 'linkId' })] },
    });
  });

  it('is created once for an Idempotency-Key', async () => {
    const sent = {
      body: { organizationId: owner.organizationId, text: 'Once', at: AT },
      headers: { ...headers, 'idempotency-key': 'deploy-7' },
    };
    const first = await ask(api, 'POST /v1/annotations', sent);
    expect((await ask(api, 'POST /v1/annotations', sent)).body).toEqual(first.body);
    expect(await listed()).toEqual([first.body]);
  });
});

let api: TestApi;
let owner: Owner;
let headers: Owner['headers'];
let linkId: string;

const create = (more: object) =>
  ask(api, 'POST /v1/annotations', { body: { organizationId: owner.organizationId, ...more }, headers });

async function listed(more = ''): Promise<readonly object[]> {
  const { body } = await ask(api, `GET /v1/annotations?organizationId=${owner.organizationId}${more}`, { headers });
  return body.data as object[];
}

async function newLink({ organizationId, headers: own }: Owner): Promise<string> {
  const body = { organizationId, name: 'Poster', targetUrl: 'https://example.com/' };
  return (await ask(api, 'POST /v1/links', { body, headers: own })).body.id as string;
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  headers = owner.headers;
  linkId = await newLink(owner);
});

afterAll(() => api.close());
