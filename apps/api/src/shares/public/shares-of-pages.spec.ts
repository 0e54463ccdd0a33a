import { randomBytes } from 'node:crypto';
import type { Filter } from '@ledgerline/contracts/definitions';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { ask, type Answer } from '@test/api/ask';
import { ok } from '@test/api/every-change';
import { eachKindOf } from '@test/events/each-kind';
import { rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';
import { CATALOGUE } from '../../query/types/catalogue';

const TYPES = CATALOGUE.filter(({ about }) => about === 'website').map(({ name }) => name);

describe('a share of some pages', () => {
  it.each<[string, Filter]>([
    ['a page', { field: 'path', op: 'eq', value: '/blog' }],
    ['all but a page', { field: 'path', op: 'ne', value: '/hidden' }],
    ['a query string', { field: 'query_string', op: 'eq', value: 'blog' }],
    [
      'pages or events',
      {
        any: [
          { field: 'path', op: 'eq', value: '/blog' },
          { field: 'event', op: 'eq', value: 'none' },
        ],
      },
    ],
  ])('names no other page in any type: %s', async (_, filter) => {
    const path = await share([filter]);
    const answers = [];
    for (let at = 0; at < TYPES.length; at += 20)
      answers.push(await question(path, { parameters: TYPES.slice(at, at + 20) }));
    const entries = answers.flatMap(
      ({ body }) => body.data as { parameter: string; success: boolean; data: object[] }[],
    );
    expect(entries.filter(({ success, data }) => success && data.length > 0).length).toBeGreaterThan(15);
    expect(entries.filter((entry) => JSON.stringify(entry).includes('hidden'))).toEqual([]);
  });

  it('counts the visits that enter or leave on other pages', async () => {
    const path = await share([{ field: 'path', op: 'eq', value: '/blog' }]);
    const row = (name: string, visits: number, percentage: number) => ({
      name,
      pageviews: visits,
      visitors: visits,
      percentage,
    });
    const entries = await question(path, { parameters: ['entry_pages'] });
    expect(rowsOf(entries)).toEqual([row('another page', 2, 66.67), row('/blog', 1, 33.33)]);
    expect((entries.body.meta as { totals: object }).totals).toEqual({ entry_pages: 2 });
    const exits = await question(path, { parameters: ['exit_pages'], compare: 'previous_period' });
    expect(rowsOf(exits)).toMatchObject([row('/blog', 2, 66.67), row('another page', 1, 33.33)]);
  });

  it('names the pages of its filter whatever its reader filters by', async () => {
    const path = await share([{ field: 'path', op: 'starts_with', value: '/blog' }]);
    const filters = [{ field: 'path', op: 'eq', value: '/blog/more' }];
    expect(rowsOf(await question(path, { parameters: ['entry_pages'], filters })).map(({ name }) => name)).toEqual([
      '/blog',
    ]);
  });

  it.each<Filter>([
    { field: 'entry_page', op: 'eq', value: '/hidden' },
    { field: 'exit_page', op: 'starts_with', value: '/h' },
    {
      any: [
        { field: 'country', op: 'eq', value: 'DE' },
        { field: 'event', op: 'ne', value: 'hidden' },
      ],
    },
  ])('fails the entry for what its reader asks of whole visits', async (filter) => {
    const body = { parameters: ['summary_metrics', 'top_pages'], filters: [filter] };
    const ofPages = await question(await share([{ field: 'path', op: 'eq', value: '/blog' }]), body);
    const { data, meta } = ofPages.body as { data: object[]; meta: { notes: string[] } };
    const error: unknown = expect.stringMatching(
      /^This share shows only some pages, and (entry_page|exit_page|event) is about/,
    );
    expect(data).toEqual(body.parameters.map((parameter) => ({ parameter, success: false, error, data: [] })));
    expect(meta.notes).toEqual([]);
    const ofVisits = await question(await share([{ field: 'device_type', op: 'eq', value: 'desktop' }]), body);
    expect(ofVisits.body.data).toMatchObject([{ success: true }, { success: true }]);
  });
});

describe('a share of some visits', () => {
  it('names all pages of these, whatever its own filter is about', async () => {
    const path = await share([{ field: 'entry_page', op: 'eq', value: '/hidden' }]);
    const exits = await question(path, { parameters: ['exit_pages'] });
    expect(rowsOf(exits).map(({ name }) => name)).toEqual(['/hidden', '/blog']);
  });
});

const DAY = '2026-05-24';
const RANGE = { startDate: DAY, endDate: DAY };

const question = (path: string, body: object): Promise<Answer> =>
  ask(on.api, `POST ${path}/query`, { body: { ...RANGE, ...body } });

async function share(filters: readonly Filter[]): Promise<string> {
  const { organizationId, websiteId, headers } = on.owner;
  const body = { organizationId, websiteId, name: 'Board', filters };
  return new URL((await ok(on.api, 'POST /v1/shares', { body, headers })).body.url as string).pathname;
}

/** A visit of these pages, one a minute, with an event of each kind on each. */
function visitOf(visitorId: string, paths: readonly string[]): readonly WebsiteObservedEvent[] {
  const minuteOf = (path: string, minute: number) =>
    eachKindOf(on.owner.websiteId, 'UTC').map((event) => {
      const named = path.slice(1).replace('/', '-');
      const own = {
        PageViewed: { query: named, title: named },
        CustomEventTracked: { name: named, properties: { of: named } },
        OutgoingLinkClicked: { href: `https://${named}.example/${named}`, text: named },
        ErrorRecorded: { message: named, errorType: named, filename: named },
      }[event.type as string];
      const data = { ...event.data, visitorId, path, ...own };
      return {
        ...event,
        id: encodeEventId(randomBytes(16)),
        at: event.at + minute * 60_000,
        data,
      } as WebsiteObservedEvent;
    });
  return paths.flatMap(minuteOf);
}

let on: QueryApi;

beforeAll(async () => {
  const names = ['QUERY_ANONYMOUS', 'PUBLIC', 'API'].map((name) => [`LIMIT_${name}_PER_MINUTE`, '100000']);
  on = await startQueryApi(Object.fromEntries(names) as Record<string, string>);
  await on.send([
    ...visitOf('a'.repeat(32), ['/hidden', '/blog', '/hidden']),
    ...visitOf('b'.repeat(32), ['/hidden', '/blog']),
    ...visitOf('c'.repeat(32), ['/blog', '/blog/more', '/blog']),
    ...visitOf('d'.repeat(32), ['/hidden']),
  ]);
});
afterAll(() => on.close());
