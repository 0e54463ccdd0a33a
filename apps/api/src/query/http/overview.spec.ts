import { ask } from '@test/api/ask';
import { DAY, startQueryApi, timelessMeta, type QueryApi } from '@test/query/query-api';

const RANGE = { startDate: DAY, endDate: DAY };

describe('POST /v1/query/overview', () => {
  it('answers the same of each, in the order of the ids, as a question of its own would', async () => {
    const { body } = await overview({ about: 'website', ids: [blog, shop()], ...WANTED });
    const [ofBlog, ofShop] = body.results as { id: string; data: unknown; meta: object }[];
    const single = await on.question(WANTED);
    expect(ofShop).toMatchObject({ id: shop(), data: single.body.data, meta: timelessMeta(single) });
    expect(ofBlog).toMatchObject({
      id: blog,
      data: [{ success: true, data: [{ pageviews: 0, previous: { pageviews: 0 } }] }, { success: true }],
      meta: { timezone: 'Asia/Tokyo', compare: { period: 'previous_period' } },
    });
  });

  it('lets an entry fail alone', async () => {
    const filters = [{ field: 'metric_name', op: 'eq', value: 'LCP' }];
    const { status, body } = await overview({ about: 'website', ids: [shop(), blog], ...WANTED, filters });
    expect(status).toBe(200);
    for (const { data } of body.results as { data: { success: boolean }[] }[])
      expect(data.map(({ success }) => success)).toEqual([false, false]);
  });

  it('fails the entry of a wrong definition alone', async () => {
    const goal = { condition: { kind: 'page', filters: [{ field: 'nothing', op: 'eq', value: '/' }] } };
    const parameters = [{ name: 'goals', goals: [goal] }, 'summary_metrics'];
    const { status, body } = await overview({ about: 'website', ids: [shop()], parameters, ...RANGE });
    expect(status).toBe(200);
    const [{ data }] = body.results as [{ data: { success: boolean; error?: string }[] }];
    expect(data).toMatchObject([
      { success: false, error: expect.stringContaining('condition.filters[0].field') as unknown },
      { success: true },
    ]);
  });

  it('names what is wrong', async () => {
    const fieldsOf = async (body: object) => {
      const answer = await overview(body);
      const { details = [] } = answer.body as { details?: { field?: string }[] };
      return [answer.status, ...details.flatMap(({ field }) => field ?? [])];
    };
    const ids = [shop()];
    expect(await fieldsOf({})).toEqual([400, 'about', 'ids', 'parameters']);
    expect(await fieldsOf({ about: 'website', ids: [], parameters: ['top_pages'] })).toEqual([400, 'ids']);
    expect(await fieldsOf({ about: 'website', ids: [shop(), shop()], parameters: ['top_pages'] })).toEqual([
      400,
      'ids',
    ]);
    expect(await fieldsOf({ about: 'website', ids: [7], parameters: ['top_pages'] })).toEqual([400, 'ids[0]']);
    expect(await fieldsOf({ about: 'page', ids, parameters: ['top_pages'] })).toEqual([400, 'about']);
    expect(await fieldsOf({ about: 'link', ids, parameters: ['top_pages'] })).toEqual([403]);
    expect(await fieldsOf({ about: 'website', ids, parameters: ['link_last_click'] })).toEqual([400, 'parameters[0]']);
    expect(await fieldsOf({ about: 'website', ids, parameters: ['top_pages'], preset: 'x' })).toEqual([400, 'preset']);
  });

  it('is refused as a whole where one may not be read', async () => {
    const { status, body } = await overview({ about: 'website', ids: [shop(), 'site_unknown'], ...WANTED });
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
  });
});

const WANTED = { parameters: ['summary_metrics', 'events_by_date'], compare: 'previous_period', ...RANGE };

let on: QueryApi;
let blog: string;

const shop = () => on.owner.websiteId;
const overview = (body: object) => ask(on.api, 'POST /v1/query/overview', { body, headers: { 'x-api-key': on.key } });

beforeAll(async () => {
  on = await startQueryApi();
  const { organizationId, headers } = on.owner;
  const body = { organizationId, name: 'Blog', domain: 'blog.example', timezone: 'Asia/Tokyo' };
  blog = (await ask(on.api, 'POST /v1/websites', { body, headers })).body.id as string;
});

afterAll(() => on.close());
