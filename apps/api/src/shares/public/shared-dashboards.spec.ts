import { ask, type Answer } from '@test/api/ask';
import { ok } from '@test/api/every-change';
import { build } from '@test/journeys/product';
import { DAY, rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';
import { waitUntil } from '@test/wait-until';

const PRIVATE = ['session_list', 'custom_event_properties', 'annotations'];

describe('who has the address of a share', () => {
  it('asks for public types of its website, and for no others', async () => {
    const path = await share({});
    const { status, body } = await question(path, ['top_pages', ...PRIVATE]);
    expect(status).toBe(200);
    expect(body.data).toEqual([
      { parameter: 'top_pages', success: true, data: [row('/', 2), row('/=1+1', 1, 50)] },
      ...PRIVATE.map((parameter) => ({
        parameter,
        success: false,
        error: 'Insufficient permissions',
        data: [],
      })),
    ]);
    const links = await ask(on.api, `POST ${path}/query`, { body: { parameters: ['link_total_clicks'] } });
    expect([links.status, links.body.details]).toEqual([400, [expect.objectContaining({ field: 'parameters[0]' })]]);
  });

  it('asks about no other website, whatever the request names', async () => {
    const { organizationId, headers } = on.owner;
    const body = { organizationId, name: 'Empty', domain: 'empty.example' };
    const websiteId = (await ok(on.api, 'POST /v1/websites', { body, headers })).body.id as string;
    const path = await share({ websiteId });
    const asked = await ask(on.api, `POST ${path}/query?website_id=${on.owner.websiteId}`, {
      body: { ...RANGE, parameters: ['top_pages'] },
    });
    expect([asked.status, rowsOf(asked)]).toEqual([200, []]);
  });

  it('cannot remove its filters, nor learn what they leave out', async () => {
    const path = await share({ filters: [{ field: 'path', op: 'ne', value: '/=1+1' }] });
    const pages = async (...filters: object[]) => rowsOf(await question(path, ['top_pages'], { filters }));
    expect(await pages()).toEqual([row('/', 2)]);
    expect(await pages({ field: 'path', op: 'contains', value: '/' })).toEqual([row('/', 2)]);
    expect(await pages({ field: 'path', op: 'eq', value: '/=1+1' })).toEqual([]);
    const { body } = await question(path, ['top_pages'], { filters: [{ field: 'path', op: 'eq', value: '/=1+2' }] });
    const { notes, filters_applied: applied } = body.meta as { notes: string[]; filters_applied: number };
    expect([notes, applied]).toEqual([['The filter on path matches nothing in the range: "/=1+2".'], 2]);
    const hidden = await question(path, ['top_pages'], { filters: [{ field: 'path', op: 'eq', value: '/=1+1' }] });
    expect((hidden.body.meta as { notes: string[] }).notes).toEqual([
      'The filter on path matches nothing in the range: "/=1+1".',
    ]);
    const batch = [
      { ...RANGE, parameters: ['summary_metrics'] },
      { ...RANGE, parameters: ['top_pages'] },
    ];
    const { body: both } = await ask(on.api, `POST ${path}/query`, { body: batch });
    expect(JSON.stringify(both)).not.toContain('/=1+1');
  });

  it('is held to alternatives, too', async () => {
    const any = ['/=1+1', '/nothing'].map((value) => ({ field: 'path', op: 'eq', value }));
    const path = await share({ filters: [{ any }] });
    expect(rowsOf(await question(path, ['top_pages']))).toEqual([row('/=1+1', 1)]);
  });

  it('sees nothing any more once it is revoked, and only then', async () => {
    const [path, id] = await shareWithId({});
    expect(await statuses(path)).toEqual([200, 200, 200]);
    await ok(on.api, `DELETE /v1/shares/${id}`, on.owner);
    expect(await statuses(path)).toEqual([404, 404, 404]);
  });

  it('sees nothing any more once it has expired', async () => {
    const path = await share({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
    expect(await statuses(path)).toEqual([200, 200, 200]);
    await waitUntil(
      () => statuses(path),
      ([status]) => status === 404,
    );
    expect(await statuses(path)).toEqual([404, 404, 404]);
  });

  it('sees nothing with a token that was made up, of any kind', async () => {
    const path = await share({});
    const [one, other] = [path, await share({})].map((each) => each.slice('/share/'.length));
    const mixed = `${one!.slice(0, 26)}${other!.slice(26)}`;
    for (const token of [mixed, one!.slice(0, -1), `${one}x`, on.owner.websiteId, 'x', '%00', '..%2F..'])
      expect((await statuses(`/share/${token}`)).every((status) => status === 404 || status === 400)).toBe(true);
  });
});

describe('a password', () => {
  it('is asked before anything is shown, and not again for a while', async () => {
    const path = await share({ password: 'correct horse battery' });
    const page = await ask(on.api, `GET ${path}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<title>Shared statistics</title>')]);
    expect(page.text.replace(/<script>.*<\/script>/s, '')).not.toMatch(/Shop|example\.com|visitor/);
    const before = await ask(on.api, `GET ${path}/dashboard`);
    expect(before.body).toEqual({ needsPassword: true, dashboard: null });
    expect((await question(path, ['top_pages'])).body.code).toBe('FORBIDDEN');
    const cookie = await passOf(path, 'correct horse battery');
    const after = await ask(on.api, `GET ${path}/dashboard`, { headers: { cookie } });
    expect(after.body).toMatchObject({ needsPassword: false, dashboard: { name: 'Board' } });
    expect(rowsOf(await question(path, ['top_pages'], {}, { cookie }))).toHaveLength(2);
    expect((await ask(on.api, `GET ${path}`, { headers: { cookie } })).text).toContain('<title>Shop: ');
  });

  it('opens its own share alone, and none once it was changed', async () => {
    const [path, id] = await shareWithId({ password: 'correct horse battery' });
    const other = await share({ password: 'correct horse battery' });
    const cookie = await passOf(path, 'correct horse battery');
    expect((await question(other, ['top_pages'], {}, { cookie })).status).toBe(403);
    const body = { password: 'another password' };
    await ok(on.api, `PATCH /v1/shares/${id}`, { body, headers: on.owner.headers });
    expect((await question(path, ['top_pages'], {}, { cookie })).status).toBe(403);
    expect((await question(path, ['top_pages'], {}, { cookie: await passOf(path, 'another password') })).status).toBe(
      200,
    );
  });

  it('is refused where it is wrong, a few times a minute, and from pages of others', async () => {
    const limited = await startQueryApi({ LIMIT_FAILED_AUTH_PER_MINUTE: '3' });
    const { organizationId, websiteId, headers } = limited.owner;
    const body = { organizationId, websiteId, name: 'Board', password: 'correct horse battery' };
    const { body: made } = await ok(limited.api, 'POST /v1/shares', { body, headers });
    const path = new URL(made.url as string).pathname;
    const attempt = (password: string, more = {}) =>
      ask(limited.api, `POST ${path}/password`, { body: { password }, headers: more });
    const foreign = await attempt('correct horse battery', { origin: 'https://evil.example' });
    expect([foreign.status, foreign.cookies]).toEqual([403, []]);
    const wrong = await attempt('correct horse');
    expect([wrong.status, wrong.body.details, wrong.cookies]).toEqual([
      400,
      [{ field: 'password', message: 'Is not the password.' }],
      [],
    ]);
    await waitUntil(
      () => attempt('wrong again'),
      ({ status }) => status === 429,
    );
    expect((await attempt('correct horse battery')).status).toBe(429);
    await limited.close();
  });
});

describe('a website whose statistics are public', () => {
  it('is at the address with its id, at once, and no longer than that', async () => {
    const path = `/share/${on.owner.websiteId}`;
    const setPublic = (isPublic: boolean) =>
      ok(on.api, `PATCH /v1/websites/${on.owner.websiteId}`, { body: { isPublic }, headers: on.owner.headers });
    expect(await statuses(path)).toEqual([404, 404, 404]);
    await setPublic(true);
    expect(await statuses(path)).toEqual([200, 200, 200]);
    expect((await ask(on.api, `GET ${path}/dashboard`)).body.dashboard).toMatchObject({ name: 'Shop', filters: [] });
    await setPublic(false);
    expect(await statuses(path)).toEqual([404, 404, 404]);
  });
});

describe('the page of a share', () => {
  it('says in its head what previews of links show', async () => {
    const path = await share({ filters: [{ field: 'path', op: 'eq', value: '/' }] });
    const { text } = await ask(on.api, `GET ${path}?from=${DAY}&to=${DAY}`);
    expect(text).toContain('<title>Shop: 2 visitors</title>');
    const sentence = '2 visitors and 2 page views of Shop, 2 March 2026.';
    for (const tag of ['name="description"', 'property="og:description"'])
      expect(text).toContain(`<meta ${tag} content="${sentence}" />`);
    expect(text).toContain('<meta property="og:title" content="Shop: 2 visitors" />');
    expect(text).toMatch(/<noscript>\s*<h1>Shop: 2 visitors<\/h1>/);
    const filters = encodeURIComponent(JSON.stringify([{ field: 'country', op: 'eq', value: 'DE' }]));
    const filtered = await ask(on.api, `GET ${path}?from=${DAY}&to=${DAY}&filters=${filters}`);
    expect(filtered.text).toContain('<title>Shop: 1 visitor</title>');
    for (const wrong of ['?from=x&to=y', '?preset=never', '?filters=%5B', '?timezone=Nowhere', '?filters=1&filters=2'])
      expect((await ask(on.api, `GET ${path}${wrong}`)).text).toContain('<title>Shop</title>');
  });

  it('holds texts as texts', async () => {
    const name = `</title><script>alert("1")</script>&'`;
    const { organizationId, headers } = on.owner;
    const { body } = await ok(on.api, 'POST /v1/websites', {
      body: { organizationId, name, domain: 'x.example' },
      headers,
    });
    const { text } = await ask(on.api, `GET ${await share({ websiteId: body.id })}`);
    expect(text).not.toContain('alert("1")');
    expect(text).toContain('<title>&#60;/title&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#38;&#39;');
  });

  it('may be in frames of others with `embed`, and without a password; no other page may', async () => {
    const path = await share({});
    const locked = await share({ password: 'correct horse battery' });
    const policy = async (address: string) =>
      (await ask(on.api, `GET ${address}`)).headers['content-security-policy']!.split('; ').at(-1);
    for (const way of ['embed', 'embed=', 'embed=true', 'embed=1'])
      expect([way, await policy(`${path}?${way}`)]).toEqual([way, 'frame-ancestors *']);
    for (const other of [
      path,
      `${path}?embed=false`,
      `${path}?embed=0`,
      `${locked}?embed`,
      `${path}x?embed`,
      '/console?embed',
      '/?embed',
      `${path}/dashboard?embed`,
    ])
      expect([other, await policy(other)]).toEqual([other, "frame-ancestors 'none'"]);
    const { headers } = await ask(on.api, `GET ${path}?embed`);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[^']+'; style-src 'self';/,
    );
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  it('says that there is nothing, as a page, where there is nothing', async () => {
    const { status, text, headers } = await ask(on.api, 'GET /share/nothing');
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(text).toContain('<title>Not shared</title>');
  });
});

const WITHOUT_LIMITS = Object.fromEntries(
  ['QUERY_ANONYMOUS', 'PUBLIC', 'FAILED_AUTH', 'API'].map((name) => [`LIMIT_${name}_PER_MINUTE`, '100000']),
);
const RANGE = { startDate: DAY, endDate: DAY };
const row = (name: string, pageviews: number, percentage = 100) => ({
  name,
  pageviews,
  visitors: pageviews,
  percentage,
});

const question = (path: string, parameters: readonly string[], more: object = {}, headers = {}): Promise<Answer> =>
  ask(on.api, `POST ${path}/query`, { body: { ...RANGE, parameters, ...more }, headers });

const statuses = async (path: string): Promise<number[]> =>
  (
    await Promise.all([ask(on.api, `GET ${path}/dashboard`), question(path, ['top_pages']), ask(on.api, `GET ${path}`)])
  ).map(({ status }) => status);

/** The cookie of somebody who knows the password. */
async function passOf(path: string, password: string): Promise<string> {
  const { cookies } = await ok(on.api, `POST ${path}/password`, { body: { password } });
  expect(cookies).toEqual([
    expect.stringMatching(
      new RegExp(`^ledgerline\\.share=\\d+\\.[\\w-]+; Path=${path}; Max-Age=43200; HttpOnly; SameSite=Strict$`),
    ),
  ]);
  return cookies[0]!.split(';')[0]!;
}

/** The path of a new share of the website. */
const share = async (settings: object): Promise<string> => (await shareWithId(settings))[0];

async function shareWithId(settings: object): Promise<readonly [path: string, id: string]> {
  const { organizationId, websiteId, headers } = on.owner;
  const body = { organizationId, websiteId, name: 'Board', ...settings };
  const made = (await ok(on.api, 'POST /v1/shares', { body, headers })).body;
  return [new URL(made.url as string).pathname, made.id as string];
}

let on: QueryApi;

beforeAll(async () => {
  await build(); // of the console
  on = await startQueryApi(WITHOUT_LIMITS);
});
afterAll(() => on.close());
