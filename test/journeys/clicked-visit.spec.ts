import type { LinkClicked, ObservedEvent, PageViewed } from '@ledgerline/contracts/events/observed-events';
import { logged } from '../reliability/log-audit';
import { AS_BROWSER, create, newSlug, newTenant, type Tenant } from '../reliability/tenant';
import { startProduct, type RunningProduct } from './running-product';
import { waitUntil } from '../wait-until';

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

  async function follow(slug: string): Promise<string> {
    const { headers } = await fetch(`${product.trackUrl}/${slug}`, { redirect: 'manual', headers: AS_BROWSER });
    return headers.get('location') ?? '';
  }

  async function view(path: string): Promise<void> {
    const url = `${product.trackUrl}/batch?client_id=${tenant.websiteId}`;
    const headers = { 'content-type': 'application/json', ...AS_BROWSER };
    const body = JSON.stringify([{ name: 'screen_view', path }]);
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  }
});
