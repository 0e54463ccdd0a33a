import type { Page } from 'puppeteer-core';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { PROXY, TrackedSite } from './tracked-site';

jest.setTimeout(120_000);

const SCRIPT = '<script defer src="/tracker.js" data-website-id="site_1"></script>';
const page = (script: string, body = '') => `<!doctype html><title>Shop</title>${script}<h1>Shop</h1>${body}`;

const PAGES = {
  '/': page(SCRIPT),
  '/app/': page(SCRIPT.replace('defer', 'defer data-hash')),
  '/proxied': page(`<script defer src="${PROXY}/app.js" data-api="${PROXY}/" data-website-id="site_2"></script>`),
  '/tagged': page(
    SCRIPT,
    `<button data-event="plan chosen" data-event-plan="team" data-event-seat-count="5"><b>Choose</b></button>
     <button id="plain" data-other="x">Nothing</button>
     <form data-event="newsletter" onsubmit="return false"><input name="email"><button>Send</button></form>`,
  ),
  '/search': page(SCRIPT),
  '/old-search': page(`<script>Object.defineProperty(window, 'navigation', { value: undefined })</script>${SCRIPT}`),
  '/replaced': page(SCRIPT.replace('defer', 'defer data-replace-state')),
  '/own': page(SCRIPT.replace('site_1', 'site_3')),
};

describeInChromium('the script', () => {
  let site: TrackedSite;
  beforeAll(async () => void (site = await TrackedSite.open(PAGES)));
  afterAll(() => site.close());

  it('takes the route after # as a path with data-hash, and leaves other fragments out', async () => {
    const app = await site.openPage('/app/?utm_source=news#/settings?tab=keys');
    await app.evaluate("location.hash = '#!/bills'");
    await waitUntil(async () => (await paths()).includes('/app/bills'));
    await app.evaluate("location.hash = '#section'");
    await waitUntil(async () => (await paths()).includes('/app'));
    await app.close();
    expect(await paths()).toEqual(['/app/settings', '/app/bills', '/app']);
    expect(await views()).toMatchObject(Array(3).fill({ utm: { source: 'news' } }));
    const plain = await site.openPage('/#/ignored');
    await plain.evaluate("location.hash = '#/too'");
    await plain.evaluate("ledgerline.track('looked')");
    await waitUntil(async () => (await events()).length > 0);
    await plain.close();
    expect(await paths()).toEqual(['/app/settings', '/app/bills', '/app', '/']);
  });

  it.each(['/search', '/old-search'])(
    'counts what is pushed and other paths, but no query string that is replaced: %s',
    async (path) => {
      const search = await site.openPage(path);
      await search.evaluate("history.pushState({}, '', '?q=a')");
      for (const address of ['?q=ab', `${path}/?q=abc`])
        await search.evaluate(`history.replaceState({}, '', '${address}')`);
      await search.evaluate("history.pushState({}, '', '?q=abcd')");
      await search.evaluate(`history.replaceState({}, '', '${path}/found')`);
      await waitUntil(async () => (await paths()).includes(`${path}/found`));
      await search.close();
      const counted = (await site.recorded()).flatMap(({ type, data }) =>
        type === 'PageViewed' && data.path.startsWith(path) ? [`${data.path}?${data.query ?? ''}`] : [],
      );
      expect(counted).toEqual([`${path}?`, `${path}?q=a`, `${path}?q=abcd`, `${path}/found?`]);
    },
  );

  it('counts query strings that are replaced with data-replace-state', async () => {
    const replaced = await site.openPage('/replaced');
    await replaced.evaluate("history.replaceState({}, '', '?q=a')");
    await waitUntil(async () => (await paths()).filter((path) => path === '/replaced').length === 2);
    await replaced.close();
  });

  it('sends to data-api, under another name and path', async () => {
    const proxied = await site.openPage('/proxied');
    await waitUntil(async () => (await paths()).includes('/proxied'));
    await proxied.close();
    expect(site.requested).toContain(`${PROXY}/batch`);
  });

  it('tracks clicks on elements with data-event and forms with it that are sent', async () => {
    const tagged = await site.openPage('/tagged');
    await tagged.click('b');
    await tagged.click('#plain');
    await tagged.click('input');
    await tagged.click('form button');
    await waitUntil(async () => (await events()).some(({ name }) => name === 'newsletter'));
    await tagged.close();
    expect((await events()).filter(({ path }) => path === '/tagged')).toMatchObject([
      { name: 'plan chosen', path: '/tagged', properties: { plan: 'team', seatCount: '5' } },
      { name: 'newsletter', path: '/tagged', properties: null },
    ]);
  });

  it('leaves the visits of a browser out by a link, once its person agrees, and counts them again by another', async () => {
    const asked: string[] = [];
    const visit = async (fragment: string, agrees: boolean) => {
      const own = await site.browser.newPage();
      own.on('dialog', (dialog) => {
        asked.push(dialog.message());
        void (agrees ? dialog.accept() : dialog.dismiss());
      });
      await own.goto(site.address(`/own${fragment}`));
      await own.evaluate("ledgerline.track('own')");
      await settled(own);
      await own.close();
      return (await views()).filter(({ path }) => path === '/own').length;
    };
    expect(await visit('#ledgerline-off', false)).toBe(1);
    expect(await visit('#ledgerline-off', true)).toBe(1);
    expect(await visit('', true)).toBe(1);
    expect(await visit('#ledgerline-on', true)).toBe(2);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toMatch(/^Count your visits to shop\.example\.com:\d+ in this browser: off\?$/);
  });

  /** Whatever a page was about to send has arrived. */
  const settled = (open: Page): Promise<unknown> =>
    open.evaluate('new Promise((resolve) => setTimeout(resolve, 300))').then(() => open.waitForNetworkIdle());

  const of = async (type: string): Promise<Record<string, unknown>[]> =>
    (await site.recorded()).filter((event) => event.type === type).map(({ data }) => data as never);
  const views = () => of('PageViewed');
  const events = () => of('CustomEventTracked');
  const paths = async () => (await views()).map(({ path }) => path);
});
