import { ask, type Answer } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

describe.each([
  ['all flags of a person', 'bulk?keys=half'],
  ['one flag of a person', 'evaluate?key=half'],
])('%s', (_, route) => {
  const path = (userId = 'u1') => `/public/v1/flags/${route}&clientId=${owner.websiteId}&userId=${userId}`;

  it('may be kept by the browser, which asks each time whether they are the same', async () => {
    const answer = await get(path());
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-cache', etag: TAG } });
    const again = await get(path(), answer.headers.etag);
    const { etag, 'cache-control': cacheControl } = answer.headers;
    expect(again).toMatchObject({ status: 304, text: '', headers: { etag, 'cache-control': cacheControl } });
    expect(again.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'x-ratelimit-limit': '600',
    });
    expect(again.headers['content-type']).toBeUndefined();
  });

  it('are sent again to a client that has others', async () => {
    const { etag } = (await get(path())).headers;
    for (const known of [undefined, '"another"', 'W/"another", "third"', '', 'no tag at all'])
      expect(await get(path(), known)).toMatchObject({ status: 200, headers: { etag } });
    expect((await get(path('u2'), etag)).status).toBe(200);
  });

  it.each(['*', 'W/%', '"another", %', '"another" , W/%'])('are not sent again for %s', async (pattern) => {
    const { etag = '' } = (await get(path())).headers;
    expect((await get(path(), pattern.replace('%', etag))).status).toBe(304);
  });

  it('have another tag once a flag has changed, and the former once it is as before', async () => {
    const { etag } = (await get(path())).headers;
    await change({ payload: { steps: 3 } });
    const changed = await get(path(), etag);
    expect([changed.status, changed.headers.etag === etag]).toEqual([200, false]);
    await change({ payload: null });
    expect((await get(path(), etag)).status).toBe(304);
  });
});

it('a refusal has no tag and is not kept', async () => {
  const answer = await get('/public/v1/flags/bulk', '*');
  expect(answer).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' } });
  expect(answer.headers.etag).toBeUndefined();
});

describe('the flags of an organization', () => {
  const list = () => `/v1/flags?organizationId=${owner.organizationId}` as const;

  it('have a tag, and are kept by no browser, as rules may name people', async () => {
    for (const path of [list(), `/v1/flags/${id}`]) {
      const { status, headers } = await get(path, undefined, owner.headers);
      expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
      expect(await get(path, headers.etag, owner.headers)).toMatchObject({ status: 304, text: '' });
      await change({ name: `Not ${headers.etag}` });
      expect((await get(path, headers.etag, owner.headers)).status).toBe(200);
    }
  });

  it('are refused to others whatever tag they send', async () => {
    const other = await ownerWithWebsite(api);
    expect((await get(`/v1/flags/${id}`, '*')).status).toBe(401);
    expect((await get(`/v1/flags/${id}`, '*', other.headers)).status).toBe(404);
  });

  it('are changed where If-Match has the tag of one, which is its revision', async () => {
    const { body, headers } = await get(`/v1/flags/${id}`, undefined, owner.headers);
    expect(headers.etag).toBe(`"${String(body.revision)}"`);
    const known = { ...owner.headers, 'if-match': headers.etag ?? '' };
    const rename = (name: string) => ask(api, `PATCH /v1/flags/${id}`, { body: { name }, headers: known });
    expect((await rename('First')).status).toBe(200);
    expect((await rename('Second')).status).toBe(409);
  });
});

const TAG: unknown = expect.stringMatching(/^"[\w-]{43}"$/);

let api: TestApi;
let owner: Owner;
let id: string;

const get = (path: string, known?: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  ask(api, `GET ${path}`, { headers: { ...headers, ...(known === undefined ? {} : { 'if-none-match': known }) } });

async function change(body: object): Promise<void> {
  const { status, text } = await ask(api, `PATCH /v1/flags/${id}`, { body, headers: owner.headers });
  if (status !== 200) throw new Error(text);
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  const { organizationId, websiteId, headers } = owner;
  const rules = [{ attribute: 'userId', operator: 'equals', values: ['u1'], enabled: true }];
  const body = { organizationId, websiteId, key: 'half', name: 'A flag', rules };
  id = (await ask(api, 'POST /v1/flags', { body, headers })).body.id as string;
});

afterAll(() => api.close());
