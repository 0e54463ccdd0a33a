import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite } from '@test/api/people';
import { rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';

describe('POST /v1/query', () => {
  it.each<[string, unknown, string[]]>([
    ['no body', undefined, ['']],
    ['no parameters', {}, ['parameters']],
    ['an empty list', { parameters: [] }, ['parameters']],
    ['too many parameters', { parameters: Array(21).fill('top_pages') }, ['parameters']],
    ['a number as a parameter', { parameters: ['top_pages', 7] }, ['parameters[1]']],
    ['an unknown type', { parameters: ['top_pages', 'top_page'] }, ['parameters[1]']],
    ['a link type of a website', { parameters: ['link_total_clicks'] }, ['parameters[0]']],
    ['an unknown field', { parameters: ['top_pages'], filter: [] }, ['filter']],
    [
      'an impossible date',
      { parameters: ['top_pages'], startDate: '2026-02-30', endDate: '2026-03-02' },
      ['startDate'],
    ],
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
      'wrong numbers of samples',
      { parameters: [{ name: 'vitals_overview', minSamples: 1e300 }], minSamples: 0 },
      ['minSamples', 'parameters[0].minSamples'],
    ],
    [
      'an unknown comparison',
      { parameters: [{ name: 'top_pages', compare: 'before' }], compare: 'last_year' },
      ['compare', 'parameters[0].compare'],
    ],
    ['an order of no field', { parameters: ['top_pages'], sortOrder: 'asc' }, ['sortOrder']],
    ['an unknown order', { parameters: ['top_pages'], sortBy: 'name', sortOrder: 'up' }, ['sortOrder']],
    ['a page too far', { parameters: ['top_pages', 'city'], page: 1_001 }, ['page']],
    [
      'a page too far for a limit of its own',
      { parameters: ['city', { name: 'top_pages', limit: 10_000 }], page: 11 },
      ['parameters[1].limit'],
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
    [
      'the first value that no text can hold',
      {
        parameters: ['top_pages'],
        filters: [
          { field: 'path', op: 'contains', value: 'a\u0000' },
          { field: 'country', op: 'in', value: ['DE', '\ud800'] },
          { field: 'path', op: 'eq', value: '/\u{1f600}\n' },
        ],
      },
      ['filters[0].value'],
    ],
    ['one wrong request of a batch', [{ parameters: ['city'] }, { parameters: [] }], ['[1].parameters']],
    ['an empty batch', [], ['']],
  ])('refuses %s and names every wrong field', async (_, body, fields) => {
    const answer = await on.question(body as object);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, code: 'VALIDATION_ERROR' });
    const named = (answer.body.details as { field: string }[]).map(({ field }) => field);
    expect([...new Set(named)].sort()).toEqual([...fields].sort());
  });

  it('suggests the name that was meant', async () => {
    const { body } = await on.question({ parameters: ['top_refferers'], granularty: 'daily' });
    expect(body.details).toEqual([expect.objectContaining({ field: 'granularty', suggestion: 'granularity' })]);
    const { body: named } = await on.question({ parameters: ['top_refferers'] });
    expect(named.details).toEqual([expect.objectContaining({ suggestion: 'top_referrers' })]);
  });

  it('wants exactly one website or link', async () => {
    const both = `website_id=${on.owner.websiteId}&link_id=link_1`;
    for (const ids of ['', both, `website_id=${on.owner.websiteId}&website_id=x`]) {
      for (const headers of [{ 'x-api-key': on.key }, ANONYMOUS]) {
        const answer = await ask(on.api, `POST /v1/query?${ids}`, { body: BODY, headers });
        expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
      }
    }
  });

  it('answers for unknown and foreign websites and links alike', async () => {
    const stranger = await ownerWithWebsite(on.api);
    const headers = { 'x-api-key': await newKey(on.api, stranger, { scopes: ['read:data'] }) };
    for (const ids of [`website_id=${on.owner.websiteId}`, 'website_id=site_none', 'link_id=link_none']) {
      const { status, body } = await ask(on.api, `POST /v1/query?${ids}`, { body: BODY, headers });
      expect([status, body.code, body.error]).toEqual([403, 'FORBIDDEN', 'Insufficient permissions']);
      const { status: without, body: refused } = await ask(on.api, `POST /v1/query?${ids}`, { body: BODY });
      expect([without, refused.code, refused.error]).toEqual([401, 'AUTH_REQUIRED', 'Authentication required']);
    }
    const wrong = await ask(on.api, `POST /v1/query?website_id=${on.owner.websiteId}`, {
      body: BODY,
      headers: { 'x-api-key': `svc_${'a'.repeat(48)}` },
    });
    expect(wrong.status).toBe(401);
  });

  it('asks a key of one website for nothing of links', async () => {
    const secret = await newKey(on.api, on.owner, {
      scopes: ['read:data'],
      resources: { [`website:${on.owner.websiteId}`]: [] },
    });
    const headers = { 'x-api-key': secret };
    expect((await ask(on.api, `POST /v1/query?website_id=${on.owner.websiteId}`, { body: BODY, headers })).status).toBe(
      200,
    );
    const link = await newLink();
    const body = { parameters: ['link_total_clicks'] };
    expect((await ask(on.api, `POST /v1/query?link_id=${link}`, { body, headers })).status).toBe(403);
    const all = await ask(on.api, `POST /v1/query?link_id=${link}`, { body, headers: { 'x-api-key': on.key } });
    expect(rowsOf(all)).toEqual([{ total: 0 }]);
  });

  it('lets anybody ask public types of a public website', async () => {
    const website = { organizationId: on.owner.organizationId, name: 'Open', domain: 'open.example', isPublic: true };
    const { body: made } = await ask(on.api, 'POST /v1/websites', { body: website, headers: on.owner.headers });
    const single = ['session_list', 'recent_errors', 'custom_events_recent', 'custom_event_properties'];
    const body = { parameters: ['top_pages', ...single] };
    const { status, body: answer } = await ask(on.api, `POST /v1/query?website_id=${made.id as string}`, { body });
    expect(status).toBe(200);
    expect(answer.data).toEqual([
      { parameter: 'top_pages', success: true, data: [] },
      ...single.map((parameter) => ({ parameter, success: false, error: 'Insufficient permissions', data: [] })),
    ]);
    const sessions = { body: { parameters: ['session_list'] }, headers: { accept: 'text/csv' } };
    const csv = await ask(on.api, `POST /v1/query?website_id=${made.id as string}`, sessions);
    expect([csv.status, csv.body.code]).toEqual([403, 'FORBIDDEN']);
  });
});

const ANONYMOUS: Record<string, string> = {};
const BODY = { parameters: ['top_pages'] };

let on: QueryApi;
beforeAll(async () => (on = await startQueryApi()));
afterAll(() => on.close());

async function newLink(): Promise<string> {
  const body = { organizationId: on.owner.organizationId, name: 'Sale', targetUrl: 'https://example.com/sale' };
  const answer = await ask(on.api, 'POST /v1/links', { body, headers: on.owner.headers });
  return answer.body.id as string;
}
