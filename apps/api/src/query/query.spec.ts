import { randomBytes } from 'node:crypto';
import { ask, type Answer } from '../../../../test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '../../../../test/api/people';
import { startTestApi, type TestApi } from '../../../../test/api/test-api';
import { pageView } from '../../../../test/query/page-view';
import { rememberIn, type Rememberer } from '../../../../test/query/remembered';
import { CATALOGUE } from './catalogue';

describe('GET /v1/query/types', () => {
  it('describes every query type to anybody', async () => {
    const { status, body } = await ask(api, 'GET /v1/query/types');
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, types: CATALOGUE.map(({ name }) => name) });
    expect(body.presets).toContain('last_7d');
    expect((body.configs as Record<string, unknown>).link_clicks_by_day).toEqual({
      about: 'link',
      meaning: 'Time series of clicks',
      category: 'Links',
      fields: [
        { name: 'date', type: 'string' },
        { name: 'clicks', type: 'integer' },
      ],
      allowedFilters: ['referrer', 'country', 'region', 'city', 'device_type', 'browser_name'],
      granularity: ['hourly', 'daily'],
      defaultLimit: 100,
      publicAccess: false,
    });
  });
});

describe('GET /v1/query/websites', () => {
  it('lists the websites a key may read', async () => {
    const { body } = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': key } });
    expect(body).toMatchObject({ success: true, total: 1, websites: [{ id: owner.websiteId, domain: 'example.com' }] });
  });

  it('needs a credential', async () => expect((await ask(api, 'GET /v1/query/websites')).status).toBe(401));
});

describe('POST /v1/query', () => {
  it('answers every parameter in its place, with what the answer rests on', async () => {
    const { status, body } = await question({ id: 'mine', parameters: ['top_pages', 'summary_metrics'], ...RANGE });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      queryId: 'mine',
      data: [
        {
          parameter: 'top_pages',
          success: true,
          data: [
            { name: '/', pageviews: 2, visitors: 2, percentage: 66.67 },
            { name: '/=1+1', pageviews: 1, visitors: 1, percentage: 33.33 },
          ],
        },
        { parameter: 'summary_metrics', success: true, data: [expect.objectContaining({ unique_visitors: 2 })] },
      ],
      meta: {
        parameters: ['top_pages', 'summary_metrics'],
        total_parameters: 2,
        page: 1,
        limit: 100,
        filters_applied: 0,
        ...RANGE,
        timezone: 'UTC',
        granularity: 'daily',
        visitorIdentity: 'daily',
        asOf: '2026-03-02T10:01:00.000Z',
        lagMs: 0,
        notes: [],
      },
    });
  });

  it('pages lists and sorts them by a field', async () => {
    const second = await question({ parameters: ['top_pages'], limit: 1, page: 2, ...RANGE });
    expect(rowsOf(second)).toMatchObject([{ name: '/=1+1' }]);
    const sorted = await question({ parameters: ['top_pages'], sortBy: 'name', sortOrder: 'desc', ...RANGE });
    expect(rowsOf(sorted).map(({ name }) => name)).toEqual(['/=1+1', '/']);
    const unknown = await question({ parameters: ['top_pages'], sortBy: 'clicks', ...RANGE });
    expect(unknown.body.data).toMatchObject([{ success: false, error: expect.stringContaining('clicks') }]);
  });

  it('keeps the newest rows of a series under a limit, and all of them without one', async () => {
    const range = { startDate: '2026-02-27', endDate: '2026-03-02' };
    const dates = (answer: Answer) => rowsOf(answer).map(({ date }) => date);
    expect(dates(await question({ parameters: ['events_by_date'], ...range }))).toHaveLength(4);
    const newest = await question({ parameters: [{ name: 'events_by_date', limit: 2 }], ...range });
    expect(dates(newest)).toEqual(['2026-03-01', '2026-03-02']);
  });

  it('filters by sessions and by page views', async () => {
    const filtered = (field: string, op: string, value: unknown) =>
      question({ parameters: ['top_pages'], filters: [{ field, op, value }], ...RANGE });
    expect(rowsOf(await filtered('country', 'eq', 'germany'))).toMatchObject([{ name: '/' }, { name: '/=1+1' }]);
    expect(rowsOf(await filtered('country', 'ne', 'germany'))).toMatchObject([{ name: '/', pageviews: 1 }]);
    expect(rowsOf(await filtered('path', 'contains', '=1'))).toMatchObject([{ name: '/=1+1' }]);
    const { body } = await filtered('browser', 'eq', 'Chrome');
    expect(body.data).toMatchObject([{ success: false, error: expect.stringContaining('browser'), data: [] }]);
    expect(body.meta).toMatchObject({ filters_applied: 0 });
  });

  it('takes overrides for one parameter, and the time zone of the query string first', async () => {
    const parameters = [{ name: 'events_by_date', id: 'hours', granularity: 'hourly', startDate: DAY, endDate: DAY }];
    const answer = await question({ parameters, timezone: 'Europe/Berlin', preset: 'today' }, '&timezone=Asia/Tokyo');
    expect(answer.body.data).toMatchObject([{ parameter: 'events_by_date', id: 'hours', success: true }]);
    expect(rowsOf(answer)).toHaveLength(24);
    expect(rowsOf(answer).find(({ pageviews }) => pageviews === 3)).toMatchObject({ date: `${DAY} 19:00:00` });
    expect(answer.body.meta).toMatchObject({ timezone: 'Asia/Tokyo', granularity: 'daily' });
  });

  it('says when a preset won over dates', async () => {
    const { body } = await question({ parameters: ['top_pages'], preset: 'today', ...RANGE });
    expect(body.meta).toMatchObject({ notes: [expect.stringContaining('preset today')] });
  });

  it('answers a batch', async () => {
    const { body } = await question([
      { id: 'a', parameters: ['country'] },
      { id: 'b', parameters: ['city'] },
    ]);
    expect(body).toMatchObject({ success: true, batch: true, results: [{ queryId: 'a' }, { queryId: 'b' }] });
  });

  it('answers one parameter as CSV', async () => {
    const headers = { 'x-api-key': key, accept: 'text/csv' };
    const route = `POST /v1/query?website_id=${owner.websiteId}` as const;
    const body = { parameters: ['top_pages'], ...RANGE };
    const { headers: sent, text } = await ask(api, route, { headers, body });
    expect(sent['content-type']).toMatch(/^text\/csv/);
    expect(text).toBe('name,pageviews,visitors,percentage\r\n/,2,2,66.67\r\n/=1+1,1,1,33.33\r\n');
    const two = await ask(api, route, { headers, body: { parameters: ['top_pages', 'city'] } });
    expect(two.status).toBe(400);
  });

  it.each<[string, unknown, string[]]>([
    ['no body', undefined, ['']],
    ['no parameters', {}, ['parameters']],
    ['an empty list', { parameters: [] }, ['parameters']],
    ['too many parameters', { parameters: Array(21).fill('top_pages') }, ['parameters']],
    ['a number as a parameter', { parameters: ['top_pages', 7] }, ['parameters[1]']],
    ['an unknown type', { parameters: ['top_pages', 'top_page'] }, ['parameters[1]']],
    ['a link type of a website', { parameters: ['link_total_clicks'] }, ['parameters[0]']],
    ['an unknown field', { parameters: ['top_pages'], filter: [] }, ['filter']],
    ['an impossible date', { parameters: ['top_pages'], startDate: '2026-02-30', endDate: '2026-03-02' }, ['startDate']],
    ['an unknown zone', { parameters: ['top_pages'], timezone: 'Mars/Olympus' }, ['timezone']],
    [
      'hours of a month',
      { parameters: ['events_by_date'], granularity: 'hourly', preset: 'last_90d' },
      ['granularity'],
    ],
    [
      'wrong numbers',
      { parameters: [{ name: 'top_pages', limit: 0 }], limit: 10_001, page: 1.5 },
      ['page', 'limit', 'parameters[0].limit'],
    ],
    [
      'wrong filters',
      {
        parameters: ['top_pages'],
        filters: [
          { field: 'path', op: 'like', value: 'x' },
          { field: 'path', op: 'in', value: 'x' },
        ],
      },
      ['filters[0].op', 'filters[1].value'],
    ],
    ['one wrong request of a batch', [{ parameters: ['city'] }, { parameters: [] }], ['[1].parameters']],
    ['an empty batch', [], ['']],
  ])('refuses %s and names every wrong field', async (_, body, fields) => {
    const answer = await question(body as object);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, code: 'VALIDATION_ERROR' });
    const named = (answer.body.details as { field: string }[]).map(({ field }) => field);
    expect([...new Set(named)].sort()).toEqual([...fields].sort());
  });

  it('suggests the name that was meant', async () => {
    const { body } = await question({ parameters: ['top_refferers'], granularty: 'daily' });
    expect(body.details).toEqual([expect.objectContaining({ field: 'granularty', suggestion: 'granularity' })]);
    const { body: named } = await question({ parameters: ['top_refferers'] });
    expect(named.details).toEqual([expect.objectContaining({ suggestion: 'top_referrers' })]);
  });

  it('ignores granularity for types without a time axis', async () => {
    const { status } = await question({ parameters: ['top_pages'], granularity: 'hourly', preset: 'last_90d' });
    expect(status).toBe(200);
  });

  it('wants exactly one website or link', async () => {
    const both = `website_id=${owner.websiteId}&link_id=link_1`;
    for (const ids of ['', both, `website_id=${owner.websiteId}&website_id=x`]) {
      const answer = await ask(api, `POST /v1/query?${ids}`, { body: BODY, headers: { 'x-api-key': key } });
      expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  it('answers for unknown and foreign websites and links alike', async () => {
    const stranger = await ownerWithWebsite(api);
    const headers = { 'x-api-key': await newKey(api, stranger, { scopes: ['read:data'] }) };
    for (const ids of [`website_id=${owner.websiteId}`, 'website_id=site_none', 'link_id=link_none']) {
      const { status, body } = await ask(api, `POST /v1/query?${ids}`, { body: BODY, headers });
      expect([status, body.code, body.error]).toEqual([403, 'FORBIDDEN', 'Insufficient permissions']);
      const { status: without, body: refused } = await ask(api, `POST /v1/query?${ids}`, { body: BODY });
      expect([without, refused.code, refused.error]).toEqual([401, 'AUTH_REQUIRED', 'Authentication required']);
    }
    const wrong = await ask(api, `POST /v1/query?website_id=${owner.websiteId}`, {
      body: BODY,
      headers: { 'x-api-key': `svc_${'a'.repeat(48)}` },
    });
    expect(wrong.status).toBe(401);
  });

  it('asks a key of one website for nothing of links', async () => {
    const secret = await newKey(api, owner, {
      scopes: ['read:data'],
      resources: { [`website:${owner.websiteId}`]: [] },
    });
    const headers = { 'x-api-key': secret };
    expect((await ask(api, `POST /v1/query?website_id=${owner.websiteId}`, { body: BODY, headers })).status).toBe(200);
    const link = await newLink();
    const body = { parameters: ['link_total_clicks'] };
    expect((await ask(api, `POST /v1/query?link_id=${link}`, { body, headers })).status).toBe(403);
    const all = await ask(api, `POST /v1/query?link_id=${link}`, { body, headers: { 'x-api-key': key } });
    expect(rowsOf(all)).toEqual([{ total: 0 }]);
  });

  it('lets anybody ask public types of a public website', async () => {
    const website = { organizationId: owner.organizationId, name: 'Open', domain: 'open.example', isPublic: true };
    const { body: made } = await ask(api, 'POST /v1/websites', { body: website, headers: owner.headers });
    const body = { parameters: ['top_pages', 'session_list'] };
    const { status, body: answer } = await ask(api, `POST /v1/query?website_id=${made.id as string}`, { body });
    expect(status).toBe(200);
    expect(answer.data).toEqual([
      { parameter: 'top_pages', success: true, data: [] },
      { parameter: 'session_list', success: false, error: 'Insufficient permissions', data: [] },
    ]);
  });

  it('waits for a position that is reached, and says when one is not', async () => {
    const at = async (position: string) => {
      const headers = { 'x-api-key': key, 'x-min-position': position };
      return ask(api, `POST /v1/query?website_id=${owner.websiteId}`, { body: BODY, headers });
    };
    expect((await at('i0:999999999')).body.meta).toMatchObject({ notes: [expect.stringContaining('X-Min-Position')] });
    expect((await at('somewhere')).status).toBe(400);
  });
});

const DAY = '2026-03-02';
const RANGE = { startDate: DAY, endDate: DAY };
const BODY = { parameters: ['top_pages'] };

let api: TestApi;
let memory: Rememberer;
let owner: Owner;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  memory = await rememberIn(api.settings.databaseUrl);
  owner = await ownerWithWebsite(api);
  key = await newKey(api, owner, { scopes: ['read:data'] });
  const at = Date.parse(`${DAY}T10:00:00Z`);
  const visitorId = randomBytes(16).toString('hex');
  const websiteId = owner.websiteId;
  await memory.hear(websiteId, [
    pageView(at, { websiteId, visitorId, country: 'DE' }),
    pageView(at + 60_000, { websiteId, visitorId, country: 'DE', path: '/=1+1' }),
    pageView(at, { websiteId, country: null }),
  ]);
});

afterAll(async () => {
  await memory.close();
  await api.close();
});

const question = (body: object, more = '') =>
  ask(api, `POST /v1/query?website_id=${owner.websiteId}${more}`, { body, headers: { 'x-api-key': key } });

const rowsOf = ({ body }: Answer) => (body.data as { data: Record<string, unknown>[] }[])[0]!.data;

async function newLink(): Promise<string> {
  const body = { organizationId: owner.organizationId, name: 'Sale', targetUrl: 'https://example.com/sale' };
  const answer = await ask(api, 'POST /v1/links', { body, headers: owner.headers });
  return answer.body.id as string;
}
