import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'puppeteer-core';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { Installation } from '../reliability/installation';
import { logged } from '../reliability/log-audit';
import { newTenant } from '../reliability/tenant';
import { waitUntil } from '../wait-until';
import { describeInChromium, openChromium } from './chromium';
import { CUT, HOSTILE, LINKS, RECORDED, THROWN, VALUES } from './hostile-pages';

jest.setTimeout(300_000);

describeInChromium('the script on a page that is hostile to it', () => {
  let place: Installation;
  let websiteId: string;
  let site: Server;
  let browser: Browser;
  let page: Page;
  const uncaught: string[] = [];
  const warnings: string[] = [];

  beforeAll(async () => {
    place = await Installation.open({ api: 1, tracker: 1, projector: 0 });
    ({ websiteId } = await newTenant(place.url('api')));
    site = createServer(({ url = '/' }, reply) => {
      if (url.endsWith('.png')) reply.writeHead(404).end();
      else reply.setHeader('content-type', 'text/html; charset=utf-8').end(document(url));
    }).listen(0, '127.0.0.1');
    browser = await openChromium(['shop.example.com']);
  });
  beforeEach(async () => {
    page = await browser.newPage();
    uncaught.length = 0;
    warnings.length = 0;
    page.on('pageerror', (error) => uncaught.push(String(error)));
    page.on('console', (message) => message.type() === 'warn' && warnings.push(message.text()));
  });
  afterEach(() => page.close());
  afterAll(async () => {
    await browser.close();
    site.close();
    await place.close();
  });

  it('counts pages that have replaced what browsers have built in, without an error of its own', async () => {
    const paths = Object.keys(HOSTILE);
    for (const path of paths) {
      await page.goto(address(path));
      await page.evaluate(
        `ledgerline.track('paid', { list: [1], amount: 25 }); history.pushState({}, '', '${path}/next')`,
      );
      await page.goto('about:blank');
    }
    expect(uncaught).toEqual([]);
    const counted = await recorded('PageViewed', 2 * paths.length);
    expect(counted.map(({ data }) => data.path).sort()).toEqual(paths.flatMap((path) => [path, `${path}/next`]).sort());
    await recorded('PageLeft', 2 * paths.length);
    const tracked = await recorded('CustomEventTracked', paths.length);
    for (const { data } of tracked) expect(data).toMatchObject({ name: 'paid', properties: { list: [1], amount: 25 } });
    expect(await recorded('ErrorRecorded', 0)).toEqual([]);
  });

  it('sends what can be sent of all that a page passes', async () => {
    await page.goto(address('/values'));
    await page.evaluate(
      `ledgerline.track('values', ${VALUES}); ledgerline.identify(7, { plan: 'team', more: { a: 1 }, since: new Date(0) })`,
    );
    for (const { code } of CUT) await page.evaluate(code);
    await page.evaluate('for (const name of [undefined, null, {}, "", []]) ledgerline.track(name)');
    const tracked = await recorded('CustomEventTracked', CUT.length + 1, '/values');
    const [first, ...others] = tracked.sort((one, other) => one.at - other.at);
    expect(first?.data.properties).toEqual(RECORDED);
    for (const [at, { name, properties }] of CUT.entries())
      expect(others[at]?.data).toMatchObject({ name, properties: properties ?? null });
    expect(await recorded('VisitorIdentified', 1)).toHaveLength(1);
    expect(warnings).toContainEqual(expect.stringContaining('track() needs a text'));
    expect(uncaught).toEqual([]);
  });

  it('sends more than browsers let outlive a page', async () => {
    await page.goto(address('/long'));
    await page.evaluate(
      `for (const letter of 'abcä') ledgerline.track(letter, { text: letter.repeat(letter === 'ä' ? 15_000 : 25_000) })`,
    );
    const tracked = await recorded('CustomEventTracked', 4, '/long');
    expect(tracked.map(({ data }) => (data.properties?.['text'] as string).length).sort()).toEqual([
      15_000, 25_000, 25_000, 25_000,
    ]);
    await page.evaluate(`for (const letter of 'de') ledgerline.track(letter, { text: letter.repeat(25_000) })`);
    await page.goto('about:blank');
    await recorded('CustomEventTracked', 6, '/long');
    expect([await recorded('PageViewed', 1, '/long'), await recorded('PageLeft', 1, '/long')]).toMatchObject([
      [{}],
      [{}],
    ]);
  });

  it('says what of an error is known, and not what is none', async () => {
    await page.goto(address('/errors'));
    for (const [code] of THROWN) await page.evaluate(`void (() => ${code})()`);
    const wanted = THROWN.flatMap(([, error]) => (error ? [expect.objectContaining(error) as unknown] : []));
    const found = await recorded('ErrorRecorded', wanted.length, '/errors');
    expect(found.map(({ data }) => data)).toEqual(expect.arrayContaining(wanted));
    await page.goto(address('/chosen-errors'));
    await page.evaluate(
      `for (const message of ['Script error.', 'of a game', 'of a shop']) dispatchEvent(new ErrorEvent('error', { message }))`,
    );
    const chosen = await recorded('ErrorRecorded', 2, '/chosen-errors');
    expect(chosen.map(({ data }) => data.message).sort()).toEqual(['Script error.', 'of a shop']);
  });

  it('finds links in shadow roots and drawings, opened by any key or button that opens them, and downloads', async () => {
    await page.goto(address('/links'));
    await page.click('#host');
    for (const id of ['svg text', 'own', 'file', 'named', 'elsewhere']) await page.click(`#${id}`);
    await page.click('#middle', { button: 'middle' });
    await page.click('#right', { button: 'right' });
    await page.focus('#key');
    await page.keyboard.press('Enter');
    await page.click('img');
    const found = await recorded('OutgoingLinkClicked', 8, '/links');
    const link = (href: string, text: string, linkKind = 'link') => ({ href, text, linkKind });
    const file = (href: string, text: string) => link(href, text, 'download');
    const clicks = found.map(({ data: { href, text, linkKind } }) => ({ href, text, linkKind }));
    const byAddress = (one: { href: string }, other: { href: string }) => (one.href < other.href ? -1 : 1);
    expect(clicks.sort(byAddress)).toEqual(
      [
        link('https://shadow.example/', 'Shadow'),
        link('https://svg.example/a', 'Chart'),
        link('https://middle.example/', 'Middle'),
        link('https://key.example/', 'Key'),
        link('https://area.example/', 'Area'),
        file(address('/files/Report.PDF?v=2'), 'Report'),
        file(address('/export?id=7'), 'Export'),
        file('https://cdn.example/app.zip', 'App'),
      ].sort(byAddress),
    );
  });

  const address = (path: string) => `http://shop.example.com:${(site.address() as AddressInfo).port}${path}`;

  const document = (path: string) => `<!doctype html><title>Shop</title><script>${HOSTILE[path] ?? ''}</script>
    <script defer src="${place.url('tracker')}/tracker.js" data-website-id="${websiteId}" data-storage="local"
      ${path === '/chosen-errors' ? 'data-ignore-errors="^of a (game|toy)$"' : ''}></script>
    <iframe srcdoc=""></iframe>${path === '/links' ? LINKS : ''}`;

  /** The events of a type, once there are so many, and never more. */
  async function recorded<Type extends ObservedEvent['type']>(type: Type, count: number, path?: string) {
    const find = async () =>
      (await logged(place.databaseUrl)).filter(
        (event): event is Extract<ObservedEvent, { type: Type }> =>
          event.type === type && (path === undefined || ('path' in event.data && event.data.path === path)),
      );
    return waitUntil(find, ({ length }) => length >= count, 20_000);
  }
});
