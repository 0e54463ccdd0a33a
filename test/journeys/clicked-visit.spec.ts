import type { LinkClicked, ObservedEvent, PageViewed } from '@ledgerline/contracts/events/observed-events';
import { logged } from '../reliability/log-audit';
import {
  AS_BROWSER,
  create,
  newSlug,
  newTenant,
  post,
  untilTrackerHasCaughtUp,
  type Row,
  type Tenant,
} from '../reliability/tenant';
import { waitUntil } from '../wait-until';
import { startProduct, type RunningProduct } from './running-product';

describe('a visit that a short link leads to', () => {
  let product: RunningProduct;
  let tenant: Tenant;

  beforeAll(async () => {
    product = await startProduct();
    tenant = await newTenant(product.apiUrl);
  });
  afterAll(() => product.close());

  const targetUrl = 'https://shop.example.com/landing?plan=team#buy';

  it('is recorded with the click, and without its parameter', async () => {
    const [slug, linkId] = await newLink({});
    const location = await follow(slug);
    expect(location).toMatch(/^https:\/\/shop\.example\.com\/landing\?plan=team&ll_click=[^&]+#buy$/);
    await view(location);
    const [clicked, viewed] = await visitOf(linkId);
    expect(viewed!.data).toMatchObject({ websiteId: tenant.websiteId, path: '/landing', query: 'plan=team' });
    expect(viewed!.data.click).toEqual({ id: clicked!.id, linkId });
  });

  it('is recorded without a click where the link tracks no visits', async () => {
    const [slug, linkId] = await newLink({ trackVisits: false });
    const location = await follow(slug);
    expect(location).toBe(targetUrl);
    await view(location);
    const [clicked, viewed] = await visitOf(linkId);
    expect([clicked!.data.linkId, viewed!.data.query]).toEqual([linkId, 'plan=team']);
    expect(viewed!.data).not.toHaveProperty('click');
  });

  it('becomes conversions of its link, on each website that it leads to', async () => {
    const { organizationId, cookie, key } = tenant;
    const site = { organizationId, name: 'App', domain: 'app.example.net', timezone: 'UTC' };
    const appId = await create(product.apiUrl, 'websites', { cookie }, site);
    await untilTrackerHasCaughtUp(product.trackUrl);
    const [slug, linkId] = await newLink({
      iosUrl: 'https://app.example.net/start',
      externalId: 'mail-7',
      name: 'Mail',
    });
    const order = { condition: { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'order' }] } };
    const goal = { ...order, name: 'Orders', value: { property: 'total', currency: 'EUR' } };
    const byMail = { kind: 'link_click', filters: [{ field: 'external_id', op: 'eq', value: 'mail-7' }] };
    for (const [websiteId, browser] of [
      [tenant.websiteId, AS_BROWSER],
      [appId, { 'user-agent': IPHONE }],
    ] as const) {
      const location = await follow(slug, browser);
      await view(location, { websiteId, browser });
      await view(location, { websiteId, browser }); // reloaded: it is one click
      const event = { name: 'order', path: '/done', properties: { total: 19.99 } };
      await send('track', [event], { websiteId, browser });
      const parameters = [
        { name: 'link_conversions', goal },
        { name: 'goals', goals: [{ name: 'Visits by mail', condition: byMail }] },
      ];
      await product.projector.catchUp();
      const url = `${product.apiUrl}/v1/query?website_id=${websiteId}`;
      const answer = await post(url, { 'x-api-key': key }, { preset: 'last_24h', parameters });
      const [links, visits] = (answer.data as { data: Row[] }[]).map(({ data }) => data);
      const revenue = [{ currency: 'EUR', sum: 19.99, events: 1, unreadable: 0 }];
      const figures = { clicks: 1, visitors: 1, conversions: 1, percentage: 100, revenue };
      expect(links?.[0]).toEqual({ link_id: linkId, name: 'Mail', external_id: 'mail-7', ...figures });
      expect(visits).toMatchObject([{ conversions: 1, visitors: 1, conversion_rate: 100 }]);
    }
  });

  let read = 0;

  /** The next click of the link, and the next page view. */
  async function visitOf(linkId: string): Promise<[LinkClicked | undefined, PageViewed | undefined]> {
    const isClick = (event: ObservedEvent): event is LinkClicked =>
      event.type === 'LinkClicked' && event.data.linkId === linkId;
    const log = await waitUntil(
      () => logged(product.api.settings.databaseUrl),
      (events) => events.some(isClick) && viewsIn(events).length > read,
    );
    return [log.find(isClick), viewsIn(log)[read++]];
  }

  const viewsIn = (events: readonly ObservedEvent[]) =>
    events.filter((event): event is PageViewed => event.type === 'PageViewed');

  async function newLink(more: object): Promise<[slug: string, id: string]> {
    const { organizationId, key } = tenant;
    const slug = newSlug();
    const link = { organizationId, name: slug, slug, targetUrl, ...more };
    return [slug, await create(product.apiUrl, 'links', { 'x-api-key': key }, link)];
  }

  async function follow(slug: string, browser: Browser = AS_BROWSER): Promise<string> {
    const { headers } = await fetch(`${product.trackUrl}/${slug}`, { redirect: 'manual', headers: browser });
    return headers.get('location') ?? '';
  }

  const view = (path: string, by?: Sender) => send('batch', [{ name: 'screen_view', path }], by);

  async function send(
    route: string,
    items: readonly object[],
    { websiteId, browser }: Sender = { websiteId: tenant.websiteId, browser: AS_BROWSER },
  ) {
    const url = `${product.trackUrl}/${route}?client_id=${websiteId}`;
    const headers = { 'content-type': 'application/json', ...browser };
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(items) })).status).toBe(200);
  }
});

type Browser = Readonly<Record<string, string>>;

interface Sender {
  readonly websiteId: string;
  readonly browser: Browser;
}

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
