import type { FieldFilter } from '@ledgerline/contracts/definitions';
import type { CustomEventTracked, OutgoingLinkClicked } from '@ledgerline/contracts/events/observed-events';
import { customEvent, pageView } from '@test/events/observed-events';
import { DAY, rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';

const RANGE = { startDate: DAY, endDate: DAY };
const DECOMPOSED = 'gro\u0308\u00dfe';
const COMPOSED = 'größe';

describe('what a person types or copies from a page finds what is recorded', () => {
  it.each<[string, FieldFilter['op'], string | string[]]>([
    ['path', 'eq', '/größe/'],
    ['path', 'in', ['https://shop.example/größe?q', 'größe/']],
    ['path', 'glob', 'grö*'],
    ['entry_page', 'starts_with', 'grö'],
    ['query_string', 'eq', '?q=%6f'],
    ['hostname', 'eq', 'https://Bücher.example/'],
    ['hostname', 'contains', 'Büch'],
    ['hostname', 'glob', 'BÜ*.example'],
    ['referrer', 'eq', 'https://www.Google.de/search'],
    ['referrer', 'contains', 'Google'],
    ['referrer', 'glob', 'GOOGLE.*'],
    ['language', 'contains', '_us'],
    ['timezone', 'starts_with', 'europe/'],
    ['utm_campaign', 'starts_with', DECOMPOSED],
  ])('by the filter %s %s %j', async (field, op, value) => {
    const answer = await on.question({ ...RANGE, filters: [{ field, op, value }], parameters: ['summary_metrics'] });
    expect(rowsOf(answer)).toMatchObject([{ pageviews: 1 }]);
  });

  it.each<[string, object]>([
    ['page', { field: 'path', op: 'eq', value: '/größe/' }],
    ['page', { field: 'hostname', op: 'starts_with', value: 'Bücher' }],
    ['event', { field: `property:${DECOMPOSED}`, op: 'eq', value: 'XL' }],
    ['event', { field: `property:${COMPOSED}`, op: 'in', value: ['XL'] }],
    ['outgoing_link', { field: 'href', op: 'eq', value: 'Bücher.example/größe' }],
    ['outgoing_link', { field: 'domain', op: 'contains', value: 'bücher' }],
  ])('by a condition on %s: %j', async (kind, filter) => {
    const goal = { condition: { kind, filters: [filter] } };
    const answer = await on.question({ ...RANGE, parameters: [{ name: 'goals', goals: [goal] }] });
    expect(rowsOf(answer)).toMatchObject([{ conversions: 1 }]);
  });

  it('by the property that has an amount, a currency, or the values of rows', async () => {
    const property = 'scho\u0308n';
    const value = { property, currency: { property: `wa\u0308hrung` } };
    const asked = { ...RANGE, parameters: [{ name: 'goals', goals: [{ condition: { kind: 'event' }, value }] }] };
    expect(rowsOf(await on.question(asked))).toMatchObject([{ revenue: [{ currency: 'EUR', sum: 5, events: 1 }] }]);
    const by = { name: 'goal_by', goal: { condition: { kind: 'event' } }, by: `property:${DECOMPOSED}` };
    expect(rowsOf(await on.question({ ...RANGE, parameters: [by] }))).toMatchObject([{ name: 'XL' }]);
  });

  it('by the nearest value, where it is no other one', async () => {
    const filters = [{ field: 'path', op: 'eq', value: '/größ' }];
    const { body } = await on.question({ ...RANGE, filters, parameters: ['top_pages'] });
    expect((body.meta as { notes: string[] }).notes).toEqual([expect.stringContaining('"/gr%C3%B6%C3%9Fe"')]);
  });
});

it('a condition on what no path has is noted with the name of its goal, step or segment', async () => {
  const condition = { kind: 'page', filters: [{ any: [{ field: 'path', op: 'eq', value: '/?a=b' }] }] };
  const funnel = { steps: [{ condition: { kind: 'page' } }, { condition }] };
  const segment = { did: [{ condition, within: 'session' }] };
  const parameters = [
    { name: 'goals', goals: [{ name: 'Thanks', condition }] },
    { name: 'funnel', funnel },
  ];
  const { body } = await on.question({ ...RANGE, segment, parameters });
  const end = 'finds nothing: "/?a=b". Paths have no query string.';
  expect((body.meta as { notes: string[] }).notes).toEqual(
    expect.arrayContaining([
      `The filter on path of the segment ${end}`,
      `parameters[0] (goals): The filter on path of "Thanks" ${end}`,
      `parameters[1] (funnel): The filter on path of step 2 ${end}`,
    ]),
  );
});

let on: QueryApi;
beforeAll(async () => {
  on = await startQueryApi();
  const { websiteId } = on.owner;
  const at = Date.parse(`${DAY}T12:00:00Z`);
  const view = pageView(at, {
    websiteId,
    visitorId: 'ab'.repeat(16),
    path: '/gr%C3%B6%C3%9Fe',
    query: 'q=o',
    host: 'xn--bcher-kva.example',
    referrer: { host: 'www.google.de', path: '/', own: false },
    language: 'en-US',
    timezone: 'Europe/Berlin',
    utm: { source: null, medium: null, campaign: `${COMPOSED} 1`, term: null, content: null },
  });
  const event = customEvent(websiteId, 1);
  const properties = { [COMPOSED]: 'XL', schön: 5, währung: 'eur' };
  const bought: CustomEventTracked = { ...event, at: at + 1, data: { ...event.data, properties } };
  const { id } = pageView(at, {});
  const data = { ...event.data, href: 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe', linkKind: 'link', own: false };
  const left = { ...event, type: 'OutgoingLinkClicked', id, at: at + 2, data: { ...data, text: null } };
  await on.send([view, bought, left as OutgoingLinkClicked]);
});
afterAll(() => on.close());
