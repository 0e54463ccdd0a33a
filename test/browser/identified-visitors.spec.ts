import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'puppeteer-core';
import { documentAt } from '../docs/documents';
import { untilAnswer } from '../journeys/product';
import { Installation } from '../reliability/installation';
import { logged } from '../reliability/log-audit';
import {
  AS_BROWSER,
  createWebsite,
  newTenant,
  post,
  rowsOf,
  untilTrackerHasCaughtUp,
  type Row,
  type Tenant,
} from '../reliability/tenant';
import { describeInChromium, openChromium } from './chromium';

jest.setTimeout(300_000);

describeInChromium('a visitor of a page with the script', () => {
  let place: Installation;
  let tenant: Tenant;
  let site: Server;
  let browser: Browser;

  beforeAll(async () => {
    place = await Installation.open({ api: 1, tracker: 1, projector: 1 });
    tenant = await newTenant(place.url('api'));
    site = createServer(({ url = '/' }, reply) => {
      reply.setHeader('content-type', 'text/html; charset=utf-8').end(pages.get(url) ?? '');
    }).listen(0, '127.0.0.1');
    browser = await openChromium(['shop.example.com']);
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    await place.close();
  });

  it.each(['', 'data-storage="local"'])('is who it said to be, until it is reset: <script %s>', async (attribute) => {
    const own = await newWebsite();
    const page = await open(script(own, attribute));
    await page.evaluate("ledgerline.identify('customer-7', { name: 'Ada' }); ledgerline.track('bought')");
    await page.evaluate("ledgerline.reset(); ledgerline.track('logged out')");
    await page.goto(address(script(own, attribute)));
    await page.evaluate("ledgerline.track('returned'); ledgerline.reset()");
    await page.evaluate("ledgerline.identify(8, { name: 'Grace' }); ledgerline.identify(undefined)");
    await page.goto(address(script(own, attribute)));
    await page.goto('about:blank');
    await untilRows(own, 'profile_list', [
      { profile_id: 'customer-7', display_name: 'Ada', unique_pages: 1, total_events: 2, custom_event_count: 1 },
      { profile_id: null, display_name: null, unique_pages: 2, total_events: 4, custom_event_count: 2 },
      { profile_id: '8', display_name: 'Grace', unique_pages: 2, total_events: 2, custom_event_count: 0 },
    ]);
    await page.close(); // at once, it would end the process in which the page that was left still sends
  });

  it('is the one that the tracking host derives for a request without ids', async () => {
    const own = await newWebsite();
    const send = (path: string, body: object) =>
      post(`${place.url('tracker')}${path}?client_id=${own.websiteId}`, AS_BROWSER, body);
    await send('/batch', [{ name: 'screen_view', path: '/' }]);
    await send('/identify', { profileId: 'customer-7', traits: { name: 'Ada' } });
    await untilRows(own, 'profile_list', [{ profile_id: 'customer-7', display_name: 'Ada' }]);
  });

  it('is the profile of a server that names it alone, with the name that a page gave it', async () => {
    const own = await newWebsite();
    const tracker = place.url('tracker');
    const { websiteId, key } = own;
    const traits = { name: 'Ada' };
    await post(`${tracker}/identify?client_id=${websiteId}`, AS_BROWSER, { profileId: 'customer-7', traits });
    const byKey = (path: string, event: object) =>
      post(`${tracker}${path}`, { 'x-api-key': key }, { profileId: 'customer-7', websiteId, ...event });
    await byKey('/track', { name: 'paid' });
    await byKey('/', { name: 'screen_view', path: '/invoice' });
    const known = { profile_id: 'customer-7', display_name: 'Ada' };
    await untilRows(own, 'custom_events_recent', [{ event_name: 'paid', ...known }]);
    await untilRows(own, 'profile_list', [{ ...known, total_events: 2, custom_event_count: 1 }]);
  });

  it.each([
    ['defer', (src: string, id: string) => `<script defer src="${src}" data-website-id="${id}"></script>`],
    ['async', (src: string, id: string) => `<script async src="${src}" data-website-id="${id}"></script>`],
    [
      'injected',
      (src: string, id: string) =>
        `<script>const later = document.createElement('script'); later.src = '${src}'; later.dataset.websiteId = '${id}'; document.head.append(later)</script>`,
    ],
  ])('is who it said to be before the script was there: %s', async (_, element) => {
    const own = await newWebsite();
    const early = `${STUB}<script>
      const { track } = ledgerline;
      track('first'); ledgerline.identify('customer-7', { name: 'Ada' }); ledgerline.track('second');
    </script>`;
    const page = await open(`${early}${element(`${place.url('tracker')}/tracker.js`, own.websiteId)}`);
    await page.evaluate("track('third')");
    await page.goto('about:blank');
    await untilRows(own, 'profile_list', [{ profile_id: 'customer-7', display_name: 'Ada', custom_event_count: 3 }]);
    await page.close();
    const sent = (await logged(place.databaseUrl)).flatMap(({ type, data }) =>
      type === 'CustomEventTracked' && data.websiteId === own.websiteId ? [data.name] : [],
    );
    expect(sent).toEqual(['first', 'second', 'third']);
  });

  it('loses calls where the script is blocked or nobody is to be counted, and no page fails', async () => {
    const own = await newWebsite();
    const calls = "ledgerline.track('lost'); ledgerline.identify('customer-7'); ledgerline.reset()";
    const blocked = '<script defer src="http://blocked.example.com/tracker.js" data-website-id="x"></script>';
    for (const wish of ['', "Object.defineProperty(navigator, 'doNotTrack', { value: '1' });"]) {
      const page = await browser.newPage();
      const failed: unknown[] = [];
      page.on('pageerror', (error) => failed.push(error));
      const sent: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
      const element = wish === '' ? blocked : script(own, '');
      await page.goto(address(`<script>${wish}</script>${STUB}<script>${calls}</script>${element}`));
      await page.evaluate(calls);
      await page.close();
      expect({ failed, sent }).toEqual({ failed: [], sent: [] });
    }
  });

  const pages = new Map<string, string>();
  /** A page of its own address, with these elements in its head. */
  function address(elements: string): string {
    const path = `/page-${pages.size + 1}`;
    pages.set(path, `<!doctype html><title>Shop</title>${elements}<h1>Shop</h1>`);
    return `http://shop.example.com:${(site.address() as AddressInfo).port}${path}`;
  }

  const script = ({ websiteId }: Tenant, attribute: string) =>
    `<script defer src="${place.url('tracker')}/tracker.js" data-website-id="${websiteId}" ${attribute}></script>`;

  /** One each, as visitors of a website with one browser and address are one. */
  async function newWebsite(): Promise<Tenant> {
    const websiteId = await createWebsite(place.url('api'), tenant, { timezone: 'UTC' });
    await untilTrackerHasCaughtUp(place.url('tracker'));
    return { ...tenant, websiteId };
  }

  async function open(elements: string): Promise<Page> {
    const page = await (await browser.createBrowserContext()).newPage();
    await page.goto(address(elements));
    return page;
  }

  /** Waits until the rows are these, as far as they are named, in any order. */
  async function untilRows(own: Tenant, type: string, expected: readonly Row[]): Promise<void> {
    const matches = (row: Row, wanted: Row) => Object.entries(wanted).every(([name, value]) => row[name] === value);
    await untilAnswer(
      () => rowsOf(place.url('api'), own, type, 'website'),
      (rows) => rows.length === expected.length && expected.every((row) => rows.some((each) => matches(each, row))),
    );
  }
});

/** The two lines, as they are documented. */
const [STUB = ''] = /<script>\n.*?<\/script>/s.exec(documentAt('docs/browser-script.md').text) ?? [];
