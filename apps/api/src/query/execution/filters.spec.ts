import { randomBytes } from 'node:crypto';
import type { FilterOp } from '@ledgerline/contracts/definitions';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { linkClick, pageView } from '@test/events/observed-events';
import { projectInto, type DirectProjector } from '@test/query/projected-database';
import { lookUpFilters } from './filters';

describe('the filters of a request', () => {
  it.each(['website', 'link'] as const)('for a %s are all sent before the first is answered', async (about) => {
    const query = jest.fn().mockResolvedValue({ rows: [] });
    const on: Queryable = { query };
    const looked = lookUpFilters(on, { target: { about, id: 'id_1' }, filters: FILTERS }, SNAPSHOT);
    expect(query).toHaveBeenCalledTimes(2);
    expect(await looked).toMatchObject(FILTERS.map(({ field }) => ({ field })));
  });
});

const FILTERS = ['country', 'city'].map((field) => ({ field, op: 'eq' as const, value: 'x' }));
const SNAPSHOT = { website: 1, table: ({ name }: { name: string }) => identifier(name) };

describe('an answer without rows notes a filter that nothing in the range passes', () => {
  it.each<[string, FilterOp, string | string[], string]>([
    ['country', 'eq', 'Deutschland', '"Deutschland". The nearest known value: "DE".'],
    ['country', 'eq', 'Germny', '"Germny". The nearest known value: "DE".'],
    ['country', 'in', ['Deutschland', 'Francia'], '"Deutschland", "Francia". The nearest known value: "DE", "FR".'],
    ['device_type', 'eq', 'phone', '"phone". The nearest known value: "mobile".'],
    ['path', 'eq', '/Pricing/', '"/Pricing/". The nearest known value: "/pricing".'],
    ['path', 'contains', 'Pricing', '"Pricing". The nearest known value: "/pricing".'],
    ['referrer', 'starts_with', 'Gogle', '"Gogle". The nearest known value: "Google".'],
    ['utm_source', 'eq', 'google', '"google". The nearest known value: "Google".'],
    ['language', 'eq', 'de', '"de". The nearest known value: "de-DE".'],
    ['browser_name', 'eq', 'Netscape', '"Netscape".'],
    ['query_string', 'eq', 'q=1', '"q=1".'],
  ])('%s %s %j', async (field, op, value, end) => {
    const note = `The filter on ${field} matches nothing in the range: ${end}`;
    expect(await notes({ filters: [{ field, op, value }] })).toEqual([note]);
  });

  it('with the beginning of a long value', async () => {
    const value = `/${'x'.repeat(200)}`;
    const [note] = await notes({ filters: [{ field: 'path', op: 'eq', value }] });
    expect(note).toBe(`The filter on path matches nothing in the range: "${value.slice(0, 80)}…".`);
  });

  it('by what is in the range, not by what other times or other filters have', async () => {
    const germany = { field: 'country', op: 'eq', value: 'DE' };
    const old = { field: 'path', op: 'eq', value: '/old' };
    expect(await notes({ filters: [germany, old] })).toEqual([expect.stringContaining('path')]);
    expect(await notes({ filters: [germany, old], startDate: '2026-02-01' })).toEqual([]);
    expect(
      await notes({
        filters: [
          { ...germany, value: 'FR' },
          { ...old, value: '/pricing' },
        ],
      }),
    ).toEqual(['The filters match nothing together in the range.']);
  });

  it('by the types of one row and by series too, and by none that has rows', async () => {
    const filters = [{ field: 'country', op: 'eq', value: 'Deutschland' }];
    expect(await notes({ filters, parameters: ['summary_metrics', 'events_by_date'] })).toHaveLength(1);
    const other = { field: 'country', op: 'ne', value: 'Deutschland' };
    expect(await notes({ filters: [other] })).toEqual([]);
    expect(await notes({ filters: [{ ...other, op: 'in', value: ['Deutschland', 'FR'] }] })).toEqual([]);
    expect(await notes({ filters: [{ ...other, op: 'eq', value: 'FR' }], parameters: ['custom_events'] })).toEqual([]);
    expect(await notes({ filters, parameters: ['active_stats', 'realtime_pages'] })).toEqual([]);
    expect(await notes({ filters, parameters: ['active_stats', 'session_list'] })).toHaveLength(1);
  });

  it('of a field of one kind of events by what it may have', async () => {
    const filters = [{ field: 'link_kind', op: 'eq', value: 'Downloads' }];
    expect(await notes({ filters, parameters: ['outbound_links'] })).toEqual([
      'The filter on link_kind matches nothing in the range: "Downloads". The nearest known value: "download".',
    ]);
  });

  it('of a link, which has clicks of its own', async () => {
    const filters = [{ field: 'country', op: 'eq', value: 'Deutschland' }];
    const about = { parameters: ['link_total_clicks'], startDate: '2026-05-04', endDate: '2026-05-04', filters };
    expect(await notes(about, `link_id=${linkId}`)).toEqual([expect.stringContaining('known value: "DE"')]);
    const sources = [{ field: 'referrer', op: 'eq', value: 'Gogle' }];
    expect(await notes({ ...about, filters: sources }, `link_id=${linkId}`)).toEqual([
      expect.stringContaining('"Google"'),
    ]);
  });

  it('with values of the same website only', async () => {
    const filters = [{ field: 'path', op: 'eq', value: '/pricing/' }];
    const note = 'The filter on path matches nothing in the range: "/pricing/".';
    expect(await notes({ filters }, `website_id=${other.websiteId}`, other)).toEqual([note]);
  });

  it('with values that the caller may read only', async () => {
    const [term, path] = ['utm_term', 'path'].map((field) => ({ field, op: 'eq', value: '/Pricing' }));
    const anonymous = (filter: object) => notes({ filters: [filter] }, `website_id=${owner.websiteId}`, null);
    const changes = { body: { isPublic: true }, headers: owner.headers };
    expect((await ask(api, `PATCH /v1/websites/${owner.websiteId}`, changes)).status).toBe(200);
    expect(await anonymous(path!)).toEqual([expect.stringContaining('known value: "/pricing"')]);
    expect(await anonymous(term!)).toEqual([expect.not.stringContaining('known value')]);
    expect(await notes({ filters: [term] })).toEqual([expect.stringContaining('known value: "pricing"')]);
  });
});

async function notes(body: object, about = `website_id=${owner.websiteId}`, caller: Owner | null = owner) {
  const request = { parameters: ['top_pages'], startDate: '2026-03-02', endDate: '2026-03-02', ...body };
  const headers = caller ? { headers: { 'x-api-key': keys.get(caller) ?? '' } } : {};
  const answer = await ask(api, `POST /v1/query?${about}`, { body: request, ...headers });
  return (answer.body.meta as { notes: string[] }).notes;
}

let api: TestApi;
let projector: DirectProjector;
let owner: Owner;
let other: Owner;
let linkId: string;
const keys = new Map<Owner, string>();

beforeAll(async () => {
  api = await startTestApi();
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  other = await ownerWithWebsite(api);
  for (const each of [owner, other]) keys.set(each, await newKey(api, each, { scopes: ['read:data'] }));
  const link = { organizationId: owner.organizationId, name: 'Sale', targetUrl: 'https://example.com/sale' };
  const { body } = await ask(api, 'POST /v1/links', { body: link, headers: owner.headers });
  linkId = body.id as string;
  await projector.send(linkId, [linkClick(linkId, 1)]);
  await projector.send(other.websiteId, [visit('2026-03-02', other.websiteId, { path: '/elsewhere' })]);
  await projector.send(owner.websiteId, [
    visit('2026-02-10', owner.websiteId, { path: '/old', country: 'DE' }),
    visit('2026-03-02', owner.websiteId, { path: '/pricing', country: 'DE', device: 'mobile', language: 'de-DE' }),
    visit('2026-03-02', owner.websiteId, {
      path: '/',
      country: 'FR',
      referrer: { host: 'www.google.de', path: '/', own: false },
      utm: { source: 'Google', medium: null, campaign: null, term: 'pricing', content: null },
    }),
  ]);
});
afterAll(async () => {
  await projector.close();
  await api.close();
});

const visit = (day: string, websiteId: string, data: Partial<Parameters<typeof pageView>[1]>) =>
  pageView(Date.parse(`${day}T10:00:00Z`), { websiteId, visitorId: randomBytes(16).toString('hex'), ...data });
