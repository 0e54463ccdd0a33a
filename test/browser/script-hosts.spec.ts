import type { Page } from 'puppeteer-core';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { PROXY, TrackedSite } from './tracked-site';

jest.setTimeout(120_000);

const COOKIE = 'session=secret';
const page = (api: string, head = '') => `<!doctype html><title>Shop</title>
  <script>document.cookie = '${COOKIE}'; ${head}</script>
  <script defer src="${PROXY}/app.js" data-api="${api}" data-website-id="site_1"></script>`;

const ANSWER = '<!doctype html><title>Everything is this page</title>';

const PAGES = {
  '/proxied': page(PROXY),
  '/old-browser': page(PROXY, 'delete Request.prototype.keepalive'),
  '/elsewhere': page('/any'),
  ...Object.fromEntries(['batch', 'vitals', 'engagement'].map((route) => [`/any/${route}`, ANSWER])),
  '/inlined': '<!doctype html><title>Shop</title>',
};

describeInChromium('the host that the script sends to', () => {
  let site: TrackedSite;
  /** The cookies of the hits. */
  let cookies: (string | undefined)[];
  beforeAll(async () => {
    site = await TrackedSite.open(PAGES, (body, headers) => {
      if (body !== '') cookies.push(headers.cookie);
      return Promise.resolve();
    });
  });
  beforeEach(() => void (cookies = []));
  afterAll(() => site.close());

  it('gets no cookies of the website, also when the page is left', async () => {
    await left('/proxied');
    expect(cookies.length).toBeGreaterThan(1);
    expect(new Set(cookies)).toEqual(new Set([undefined]));
  });

  it('gets beacons, which have cookies, where nothing else outlives a page', async () => {
    await left('/old-browser');
    expect(cookies[0]).toBeUndefined();
    expect(cookies).toContain(COOKIE);
  });

  it('is named once where its answers are not those of a tracking host', async () => {
    const elsewhere = await site.browser.newPage();
    const warnings = warningsOf(elsewhere);
    await elsewhere.goto(site.address('/elsewhere'));
    await waitUntil(() => warnings.length > 0);
    await elsewhere.evaluate("ledgerline.track('paid')");
    await elsewhere.waitForNetworkIdle();
    expect(warnings).toEqual([
      `ledgerline: nothing is counted: ${site.address('/any')} does not answer as a tracking host`,
    ]);
    await elsewhere.close();
  });

  it.each([
    ['', 'data-website-id="site_1"'],
    ['', `data-api="${PROXY}"`],
    [` src="/tracker.js"`, ''],
  ])('is asked for where the element does not say all of it: <script%s %s>', async (src, attributes) => {
    const inlined = await site.openPage('/inlined');
    const warnings = warningsOf(inlined);
    await inlined.evaluate(`fetch('/tracker.js').then((answer) => answer.text()).then((code) => {
      const holder = document.createElement('div');
      holder.innerHTML = '<script${src} ${attributes}></' + 'script>';
      const script = document.createElement('script');
      for (const { name, value } of holder.firstChild.attributes) script.setAttribute(name, value);
      if (!script.src) script.textContent = code;
      document.head.append(script);
    })`);
    await waitUntil(() => warnings.length > 0);
    expect(warnings).toEqual([expect.stringContaining('the script element needs data-website-id, and data-api')]);
    await inlined.close();
  });

  /** Opens a page, and leaves it once its view has arrived; resolves when that has, too. */
  const left = async (path: string) => {
    const open = await site.openPage(path);
    await waitUntil(async () => (await count('PageViewed', path)) === 1);
    await open.evaluate("ledgerline.track('leaving')");
    await open.goto('about:blank');
    await waitUntil(async () => (await count('PageLeft', path)) === 1);
    await open.close();
  };

  const warningsOf = (open: Page): string[] => {
    const warnings: string[] = [];
    open.on('console', (message) => message.type() === 'warn' && warnings.push(message.text()));
    return warnings;
  };

  const count = async (type: string, path: string) =>
    (await site.recorded()).filter((event) => event.type === type && 'path' in event.data && event.data.path === path)
      .length;
});
