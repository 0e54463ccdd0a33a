import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { ask, type Answer } from '@test/api/ask';
import { PARTITIONS } from '@test/query/projected-database';
import { DAY, rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';
import { CATALOGUE } from '../types/catalogue';

describe('GET /v1/query/types', () => {
  it('describes every query type to anybody', async () => {
    const { status, body } = await ask(on.api, 'GET /v1/query/types');
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
      granularity: ['hourly', 'daily', 'weekly', 'monthly'],
      defaultLimit: 100,
      comparable: true,
      publicAccess: false,
    });
    const { accuracy } = (body.configs as Record<string, { accuracy: unknown }>)['vitals_by_page']!;
    expect(accuracy).toEqual({ p50: 0.01, p75: 0.01, p90: 0.01, p95: 0.01, p99: 0.01 });
  });
});

describe('GET /v1/query/websites', () => {
  it('lists the websites a key may read', async () => {
    const { body } = await ask(on.api, 'GET /v1/query/websites', { headers: { 'x-api-key': on.key } });
    expect(body).toMatchObject({
      success: true,
      total: 1,
      websites: [{ id: on.owner.websiteId, domain: 'example.com' }],
    });
  });

  it('needs a credential', async () => expect((await ask(on.api, 'GET /v1/query/websites')).status).toBe(401));
});

describe('POST /v1/query', () => {
  it('answers every parameter in its place, with what the answer rests on', async () => {
    const { status, body } = await on.question({ id: 'mine', parameters: ['top_pages', 'summary_metrics'], ...RANGE });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      queryId: 'mine',
      data: [
        {
          parameter: 'top_pages',
          success: true,
          data: [
            { name: '/', pageviews: 2, visitors: 2, percentage: 100 },
            { name: '/=1+1', pageviews: 1, visitors: 1, percentage: 50 },
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
        asOf: expect.stringMatching(/:\d\d\.000Z$/) as string,
        newestEventAt: '2026-03-02T10:01:00.000Z',
        lagMs: 0,
        notes: [],
        totals: { top_pages: 2 },
        hidden: {},
      },
    });
  });

  it('says how many rows each list has in all, by parameter and by its id', async () => {
    const parameters = [{ name: 'top_pages', limit: 1, id: 'pages' }, 'top_pages', 'session_list', 'events_by_date'];
    const { body } = await on.question({ parameters, ...RANGE, page: 9 });
    expect(body.data).toMatchObject([{ data: [] }, { data: [] }, { data: [] }, { success: true }]);
    expect(body.meta).toMatchObject({ totals: { pages: 2, top_pages: 2, session_list: 2 } });
  });

  it('compares each row with the range before', async () => {
    const range = { startDate: '2026-03-03', endDate: '2026-03-03' };
    const parameters = ['summary_metrics', { name: 'top_pages', ...RANGE }, 'today_metrics'];
    const { body } = await on.question({ parameters, ...range, compare: 'previous_period' });
    expect(body.data).toMatchObject([
      {
        data: [
          {
            pageviews: 0,
            previous: { pageviews: 3, unique_visitors: 2 },
            change_percent: { pageviews: -100, median_session_duration: null },
          },
        ],
      },
      {
        data: [
          { name: '/', previous: { pageviews: 0, visitors: 0 }, change_percent: { pageviews: null } },
          { name: '/=1+1', previous: { pageviews: 0 } },
        ],
      },
      { data: [expect.not.objectContaining({ previous: expect.anything() as unknown })] },
    ]);
    const year = [{ name: 'top_pages', compare: 'previous_year', startDate: '2027-03-02', endDate: '2027-03-02' }];
    expect(rowsOf(await on.question({ parameters: year }))).toEqual([]);
  });

  it('sorts by a change only what is compared', async () => {
    const entries = async (more: object, ...parameters: string[]) =>
      (await on.question({ parameters, ...RANGE, sortBy: 'change_percent', ...more })).body.data;
    const failed = (error: string) => ({ success: false, error: expect.stringContaining(error) as string });
    const compare = { compare: 'previous_period' };
    expect(await entries(compare, 'top_pages', 'summary_metrics')).toMatchObject([{ data: [{}, {}] }, { data: [{}] }]);
    expect(await entries({}, 'top_pages')).toMatchObject([failed('percentage, and with compare by change_percent.')]);
    expect(await entries(compare, 'recent_errors')).toMatchObject([failed('it can by timestamp.')]);
  });

  it('answers a comparison as CSV with two columns more for each figure', async () => {
    const asked = { parameters: ['top_pages'], ...RANGE, compare: 'previous_period' };
    const { text } = await on.question({ ...asked, limit: 1 }, '', { accept: 'text/csv' });
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'name,pageviews,visitors,percentage,previous_pageviews,previous_visitors,previous_percentage,' +
        'change_percent_pageviews,change_percent_visitors,change_percent_percentage',
      '/,2,2,100,0,0,0,,,',
    ]);
  });

  it('pages lists and sorts them by a field', async () => {
    const second = await on.question({ parameters: ['top_pages'], limit: 1, page: 2, ...RANGE });
    expect(rowsOf(second)).toMatchObject([{ name: '/=1+1' }]);
    const sorted = await on.question({ parameters: ['top_pages'], sortBy: 'name', sortOrder: 'desc', ...RANGE });
    expect(rowsOf(sorted).map(({ name }) => name)).toEqual(['/=1+1', '/']);
    const first = await on.question({ parameters: ['top_pages'], sortBy: 'name', limit: 1, ...RANGE });
    expect(rowsOf(first)).toMatchObject([{ name: '/=1+1', percentage: 50 }]);
    const unknown = await on.question({ parameters: ['top_pages'], sortBy: 'clicks', ...RANGE });
    expect(unknown.body.data).toMatchObject([{ success: false, error: expect.stringContaining('clicks') as string }]);
  });

  it('sorts a single row by no field that none of the types has', async () => {
    const entries = async (sortBy: string, ...parameters: string[]) =>
      (await on.question({ parameters, sortBy, ...RANGE })).body.data;
    const error = 'summary_metrics cannot be sorted by bogus; it can by pageviews, ';
    const failed = { success: false, error: expect.stringContaining(error) as string, data: [] };
    expect(await entries('bogus', 'summary_metrics')).toMatchObject([failed]);
    expect(await entries('bogus', 'summary_metrics', 'top_pages')).toMatchObject([failed, { success: false }]);
    expect(await entries('pageviews', 'summary_metrics')).toMatchObject([{ success: true }]);
    expect(await entries('name', 'summary_metrics', 'top_pages')).toMatchObject([{ success: true }, { success: true }]);
  });

  it('keeps the newest rows of a series under a limit, and all of them without one', async () => {
    const range = { startDate: '2026-02-27', endDate: '2026-03-02' };
    const dates = (answer: Answer) => rowsOf(answer).map(({ date }) => date);
    expect(dates(await on.question({ parameters: ['events_by_date'], ...range }))).toHaveLength(4);
    const newest = await on.question({ parameters: [{ name: 'events_by_date', limit: 2 }], ...range });
    expect(dates(newest)).toEqual(['2026-03-01', '2026-03-02']);
  });

  it('filters by sessions and by page views', async () => {
    const filtered = (field: string, op: string, value: unknown) =>
      on.question({ parameters: ['top_pages'], filters: [{ field, op, value }], ...RANGE });
    expect(rowsOf(await filtered('country', 'eq', 'germany'))).toMatchObject([{ name: '/' }, { name: '/=1+1' }]);
    expect(rowsOf(await filtered('country', 'ne', 'germany'))).toMatchObject([{ name: '/', pageviews: 1 }]);
    expect(rowsOf(await filtered('path', 'contains', '=1'))).toMatchObject([{ name: '/=1+1' }]);
    const { body } = await filtered('browser', 'eq', 'Chrome');
    expect(body.data).toMatchObject([
      { success: false, error: expect.stringContaining('browser') as string, data: [] },
    ]);
    expect(body.meta).toMatchObject({ filters_applied: 0 });
  });

  it('says what an unknown filter may have meant, in its entry alone, and how many filters were applied', async () => {
    const filters = [
      { field: 'contry', op: 'eq', value: 'DE' },
      { field: 'device', op: 'eq', value: 'mobile' },
    ];
    const { body } = await on.question({ parameters: ['top_pages'], filters, ...RANGE });
    const meant = /no filter contry; .* Did you mean country\? .* Did you mean device_type\?/;
    const error = expect.stringMatching(meant) as string;
    expect(body).toMatchObject({ data: [{ success: false, error }], meta: { filters_applied: 0 } });
    const known = [{ field: 'country', op: 'in', value: ['DE', 'FR'] }, filters[1]!];
    const both = await on.question({ parameters: ['top_pages', 'city'], filters: known, ...RANGE });
    expect(both.body.data).toMatchObject([{ success: false }, { success: false }]);
    const applied = await on.question({ parameters: ['top_pages', 'city'], filters: known.slice(0, 1), ...RANGE });
    expect(applied.body.meta).toMatchObject({ filters_applied: 1 });
  });

  it('takes overrides for one parameter, and the time zone of the query string first', async () => {
    const parameters = [{ name: 'events_by_date', id: 'hours', granularity: 'hourly', startDate: DAY, endDate: DAY }];
    const answer = await on.question(
      { parameters, timezone: 'Europe/Berlin', preset: 'today' },
      '&timezone=Asia/Tokyo',
    );
    expect(answer.body.data).toMatchObject([{ parameter: 'events_by_date', id: 'hours', success: true }]);
    expect(rowsOf(answer)).toHaveLength(24);
    expect(rowsOf(answer).find(({ pageviews }) => pageviews === 3)).toMatchObject({ date: `${DAY} 19:00:00` });
    expect(answer.body.meta).toMatchObject({ timezone: 'Asia/Tokyo', granularity: 'daily' });
  });

  it('says when a preset won over dates', async () => {
    const { body } = await on.question({ parameters: ['top_pages'], preset: 'today', ...RANGE });
    expect(body.meta).toMatchObject({ notes: [expect.stringContaining('preset today')] });
  });

  it('says of which parameter a preset won over dates', async () => {
    const parameters = ['country', { name: 'top_pages', preset: 'today', startDate: DAY }];
    const { status, body } = await on.question({ parameters, ...RANGE });
    expect(status).toBe(200);
    expect(body.meta).toMatchObject({
      notes: [expect.stringMatching(/^parameters\[1\] \(top_pages\): .*preset today/)],
    });
  });

  it('answers a batch', async () => {
    const { body } = await on.question([
      { id: 'a', parameters: ['country'] },
      { id: 'b', parameters: ['city'] },
    ]);
    expect(body).toMatchObject({ success: true, batch: true, results: [{ queryId: 'a' }, { queryId: 'b' }] });
  });

  it('answers one parameter as CSV', async () => {
    const csv = { accept: 'text/csv' };
    const { headers, text } = await on.question({ parameters: ['top_pages'], ...RANGE }, '', csv);
    expect(headers['content-type']).toMatch(/^text\/csv/);
    expect(text).toBe('name,pageviews,visitors,percentage\r\n/,2,2,100\r\n/=1+1,1,1,50\r\n');
    expect((await on.question({ parameters: ['top_pages', 'city'] }, '', csv)).status).toBe(400);
  });

  it('ignores granularity for types without a time axis', async () => {
    const { status } = await on.question({ parameters: ['top_pages'], granularity: 'hourly', preset: 'last_90d' });
    expect(status).toBe(200);
  });

  it('waits for a position that is reached, and says when one is not', async () => {
    const at = (position: string) => on.question(BODY, '', { 'x-min-position': position });
    const partition = partitionOf(on.owner.websiteId, PARTITIONS);
    const reached = `i${partition}:0`;
    expect((await at(reached)).body.meta).toMatchObject({ notes: [] });
    const link = { organizationId: on.owner.organizationId, name: 'Sale', targetUrl: 'https://example.com/sale' };
    const { headers: written } = await ask(on.api, 'POST /v1/links', { body: link, headers: on.owner.headers });
    expect(written['x-log-position']).toMatch(/^e:/);
    expect((await at(`${written['x-log-position']}, ${reached}`)).body.meta).toMatchObject({ notes: [] });
    expect((await at(`i${partition}:999999999`)).body.meta).toMatchObject({
      notes: [expect.stringContaining('X-Min-Position')],
    });
    expect((await at('somewhere')).status).toBe(400);
  });
});

const RANGE = { startDate: DAY, endDate: DAY };
const BODY = { parameters: ['top_pages'] };

let on: QueryApi;
beforeAll(async () => (on = await startQueryApi()));
afterAll(() => on.close());
