import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'puppeteer-core';
import { untilAnswer } from '../journeys/product';
import { Installation } from '../reliability/installation';
import { logged } from '../reliability/log-audit';
import { newTenant, rowsOf, type Row, type Tenant } from '../reliability/tenant';
import { describeInChromium, openChromium } from './chromium';

jest.setTimeout(300_000);

describeInChromium('a page with the script', () => {
  let place: Installation;
  let tenant: Tenant;
  let site: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    place = await Installation.open({ api: 1, tracker: 1, projector: 1 });
    tenant = await newTenant(place.url('api'));
    site = createServer((_, reply) => {
      reply.setHeader('content-type', 'text/html; charset=utf-8').end(document());
    }).listen(0, '127.0.0.1');
    browser = await openChromium(['shop.example.com']);
    page = await browser.newPage();
    await page.goto(address('/'), { referer: 'http://www.google.com/' });
    await browse();
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    await place.close();
  });

  it('is counted, also where the address changes without a new document', async () => {
    await untilRows('top_pages', [
      { name: '/', pageviews: 1, visitors: 1 },
      { name: '/pricing', pageviews: 1, visitors: 1 },
      { name: '/thanks', pageviews: 1, visitors: 1 },
    ]);
    await untilRows('traffic_sources', [{ domain: 'google.com', visitors: 1 }]);
    await untilRows('summary_metrics', [{ pageviews: 3, unique_visitors: 1, sessions: 1 }]);
  });

  it('reports what leads away, what the page tracks, and what fails', async () => {
    await untilRows('outbound_links', [{ href: 'https://elsewhere.example/docs', text: 'Docs', total_clicks: 1 }]);
    await untilRows('custom_events', [{ name: 'order_paid', total_events: 1, events_with_properties: 1 }]);
    await untilRows('recent_errors', [
      { message: 'nothing caught me', path: '/pricing', error_type: 'RangeError' },
      { message: 'no promise kept', path: '/pricing', error_type: 'Error' },
    ]);
  });

  it('reports how fast it was', async () => {
    const rows = await untilAnswer(
      () => rowsOf(place.url('api'), tenant, 'vitals_overview', 'website'),
      (found) => ['TTFB', 'FCP'].every((metric) => found.some(({ metric_name: name }) => name === metric)),
    );
    for (const { samples } of rows) expect([1, 2]).toContain(samples); // of two documents
  });

  it('reports rage, dead clicks and an abandoned form when the visitor leaves', async () => {
    const spans = await untilAnswer(
      () => engagement(),
      (found) => found.length === 2,
    );
    expect(spans.find(({ path }) => path === '/pricing')).toMatchObject({
      span: {
        rageClickCount: 1,
        rageClickTarget: 'button#dead',
        deadClickCount: 3,
        deadClickTarget: 'button#dead',
        formFieldCount: 1,
        formSubmitCount: 0,
        lastFormField: 'email',
        errorCount: 2,
      },
    });
  });

  it('keeps nothing in the browser', async () => {
    expect(await page.browserContext().cookies()).toEqual([]);
    expect(await page.evaluate('JSON.stringify([localStorage.length, sessionStorage.length])')).toBe('[0,0]');
  });

  it.each([2, 30 * 24, -8 * 24])('is counted now where the clock of the device is %d h ahead', async (hours) => {
    const other = await browser.newPage();
    const began = Date.now();
    const path = `/ahead${hours}`;
    await other.evaluateOnNewDocument(`{
      const [date, origin, ahead] = [Date.now, performance.timeOrigin, ${hours * 3_600_000}];
      Date.now = () => date() + ahead;
      Object.defineProperty(performance, 'timeOrigin', { value: origin + ahead });
    }`);
    await other.goto(address(path));
    const [view] = await untilAnswer(
      async () => (await logged(place.databaseUrl)).filter(({ data }) => 'path' in data && data.path === path),
      (found) => found.length > 0,
    );
    await other.close();
    expect(view!.at).toBeGreaterThanOrEqual(began);
    expect(view!.at).toBeLessThanOrEqual(view!.receivedAt);
  });

  it.each(['globalPrivacyControl = true', "doNotTrack = '1'"])('sends nothing where navigator.%s', async (wish) => {
    const [name, value] = wish.split(' = ');
    const other = await browser.newPage();
    const sent: string[] = [];
    other.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await other.evaluateOnNewDocument(`Object.defineProperty(navigator, '${name}', { value: ${value} })`);
    await other.goto(address('/private'));
    await other.evaluate("ledgerline.track('unwanted')");
    await other.close();
    expect(sent).toEqual([]);
  });

  it('loads at most 8.5 KB, and from a cache after that', async () => {
    const url = `${place.url('tracker')}/tracker.js`;
    const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(gzipSync(await answer.text()).length).toBeLessThanOrEqual(8.5 * 1024);
    const again = await fetch(url, { headers: { 'if-none-match': answer.headers.get('etag')! } });
    expect(again.status).toBe(304);
  });

  /** A visit of one person: two pages of the app, clicks that do nothing, a form given up, and another document. */
  async function browse(): Promise<void> {
    await page.evaluate("history.pushState({}, '', '/pricing?plan=team')");
    await page.evaluate("ledgerline.track('order_paid', { amount: 25 })");
    await page.evaluate("setTimeout(() => { throw new RangeError('nothing caught me') }); void 0");
    await page.evaluate("void Promise.reject(new Error('no promise kept'))");
    await page.click('#docs', { button: 'middle' });
    await page.click('#dead', { count: 3, delay: 20 });
    await page.waitForFunction('new Promise((resolve) => setTimeout(() => resolve(true), 800))');
    await page.type('[name=email]', 'me');
    await page.goto(address('/thanks'));
  }

  const address = (path: string) => `http://shop.example.com:${(site.address() as AddressInfo).port}${path}`;

  const document = () => `<!doctype html><title>Shop</title>
    <script defer src="${place.url('tracker')}/tracker.js" data-website-id="${tenant.websiteId}"></script>
    <h1>Shop</h1><a id="docs" href="https://elsewhere.example/docs">Docs</a>
    <button id="dead" type="button">Nothing</button>
    <form><input name="email"></form>`;

  /** Waits until the rows are these, as far as they are named, in any order. */
  async function untilRows(type: string, expected: readonly Row[]): Promise<void> {
    const matches = (row: Row, wanted: Row) => Object.entries(wanted).every(([name, value]) => row[name] === value);
    await untilAnswer(
      () => rowsOf(place.url('api'), tenant, type, 'website'),
      (rows) => rows.length === expected.length && expected.every((row) => rows.some((each) => matches(each, row))),
    );
  }

  const engagement = async () =>
    (await logged(place.databaseUrl)).flatMap(({ type, data }) => (type === 'EngagementMeasured' ? [data] : []));
});
