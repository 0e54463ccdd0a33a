import type { HTTPRequest, Page } from 'puppeteer-core';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { FIREFOX, sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene, type Visitor } from './website-scene';

const VIEW = `?from=${SHOP_DAY}&to=${SHOP_DAY}`;

/** A text that nobody should write into a page, by each way that leads out of a text. */
const EVIL = `<img src=x onerror="alert(1)">'"><script>alert(2)</script>{{7*7}}`;

const ATTACKER: Visitor = {
  userAgent: `Mozilla/5.0 (X11; Linux x86_64 ${EVIL}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36`,
  address: '8.8.4.4',
};

/** Each page of a website, with a list that shows what visitors wrote. */
const PAGES = [
  ['the dashboard', '', '&sources=utm_campaigns'],
  ['pages', '/pages', ''],
  ['sources', '/sources', ''],
  ['places', '/places', '&list=city'],
  ['devices', '/devices', ''],
  ['visitors', '/visitors', ''],
  ['sessions', '/sessions', ''],
  ['events', '/events', ''],
  ['properties of events', '/events', '&list=custom_event_properties'],
  ['recent events', '/events', '&list=custom_events_recent'],
  ['outgoing links', '/outgoing', ''],
  ['errors', '/errors', ''],
  ['vitals', '/vitals', ''],
  ['engagement', '/engagement', '&list=page_scroll_performance'],
  ['flow', '/flow', `&filters=${encodeURIComponent('[{"field":"path","op":"eq","value":"/"}]')}`],
] as const;

describeInChromium('the pages of a website', () => {
  it.each(PAGES)('fit every screen, and show what visitors wrote as text: %s', async (name, path, more) => {
    await scene.visit(`${path}${VIEW}${more}`);
    await scene.until('document.querySelector("main tbody tr") && !document.querySelector(".skeleton")');
    expect(await isHarmless()).toBe(true);
    expect(await scene.console.faults(name.replaceAll(' ', '-'))).toEqual([]);
  });

  it('take nothing from an address but what they show', async () => {
    const filters = encodeURIComponent(JSON.stringify([{ field: EVIL, op: 'eq', value: EVIL }, 7, { op: 'drop' }]));
    await scene.visit(
      `?from=${encodeURIComponent(EVIL)}&preset=never&page=-1&metric=x&pages=${EVIL}&filters=${filters}`,
    );
    await scene.until('document.querySelector("main .state.failed")');
    expect(await scene.console.violations()).toEqual([]);
    expect(await isHarmless()).toBe(true);
    scene.console.errors.length = 0; // the browser reports the refusal itself
  });

  it('keep the focus wherever Tab leads', async () => {
    await scene.visit(VIEW);
    await scene.table('Pages');
    await page().waitForSelector('.chart-plot canvas');
    const pending = requestsOf(page());
    const lost: string[] = [];
    let at = '';
    for (let tabs = 0; tabs < 100 && !at.includes('Export Pages'); tabs++) {
      await page().keyboard.press('Tab');
      await page().evaluate('new Promise(requestIdleCallback)');
      await waitUntil(() => pending.size === 0); // code that is loaded when something has the focus
      await page().evaluate('new Promise(requestAnimationFrame)');
      const [next, isLost] = await focused();
      if (isLost) lost.push(at);
      else at = next;
    }
    expect([at, lost]).toEqual([expect.stringContaining('Export Pages'), []]);
  });

  it('keep the focus when what had it is gone', async () => {
    const filters = encodeURIComponent('[{"field":"browser_name","op":"eq","value":"Firefox"}]');
    await scene.visit(`${VIEW}&filters=${filters}`);
    await scene.table('Pages');
    await page().focus('.chip button[aria-label^=Remove]');
    await page().keyboard.press('Enter');
    await scene.until('!document.querySelector(".chip")');
    await waitUntil(
      () => page().evaluate('document.activeElement.className'),
      (name) => name === 'view-bar',
    );
    await page().locator('.view-bar > .button').click();
    await page().waitForSelector('.presets');
    await page().locator('xpath/.//button[.="Last 30 days"]').click();
    await scene.until('location.search.includes("last_30d") && !document.querySelector(".presets")');
    await waitUntil(focused, ([text]) => text === 'Last 30 days ▾');
    await page().focus('section[aria-label=Pages] .filter-value');
    await page().keyboard.press('Enter');
    await scene.until('document.querySelector(".chip") && !document.querySelector(".outdated")');
    expect((await focused())[1]).toBe(false);
  });

  it('show that a table goes on, and the column that sorts it', async () => {
    await scene.console.as(360, 'light');
    await scene.visit(`/pages${VIEW}&sort=percentage`);
    await scene.table('Pages');
    await scene.until('document.querySelector("[aria-sort]")');
    const region = 'document.querySelector(".full .table")';
    const [start, left, right, end, shadows] = (await page().evaluate(`[
      ${region}.querySelector("th").getBoundingClientRect().right,
      document.querySelector("[aria-sort]").getBoundingClientRect().left,
      document.querySelector("[aria-sort]").getBoundingClientRect().right,
      ${region}.getBoundingClientRect().right,
      getComputedStyle(${region}).backgroundAttachment,
    ]`)) as [number, number, number, number, string];
    expect(await page().evaluate(`${region}.scrollWidth > ${region}.clientWidth`)).toBe(true);
    expect([left >= start - 1, right <= end + 1]).toEqual([true, true]);
    expect(shadows).toMatch(/^local, local, scroll, scroll/);
    await scene.console.as(1_280, 'light');
  });

  it('refresh themselves, and leave alone what has the focus', async () => {
    await page().evaluateOnNewDocument(
      'const every = setInterval; setInterval = (run, ms, ...more) => every(run, ms / 20, ...more);',
    );
    await scene.visit('?preset=last_7d');
    const [[path] = []] = await scene.table('Pages');
    await page().focus('section[aria-label=Pages] .filter-value');
    await page().evaluate('before = document.activeElement');
    await scene.send(
      '/batch',
      FIREFOX,
      Array.from({ length: 3 }, () => ({ name: 'screen_view', path })),
    );
    await scene.send('/batch', FIREFOX, [{ name: 'screen_view', path: '/fresh' }]);
    await scene.project();
    const [row] = await scene.rows('summary_metrics', { preset: 'last_7d' });
    const shown = String(row!['pageviews']);
    await scene.until(
      `[...document.querySelectorAll(".figure-value")].some((each) => each.textContent === "${shown}")`,
    );
    expect(await page().evaluate('document.activeElement === before')).toBe(true);
    const allow = await scene.console.refuse('/v1/query', { code: 'RATE_LIMITED', error: 'Too many requests' });
    await page().locator('xpath/.//button[.="Refresh"]').click();
    await scene.until('document.querySelector(".toasts").textContent.includes("Not refreshed: Too many requests")');
    expect(await page().evaluate('document.querySelectorAll(".state").length')).toBe(0);
    expect((await scene.table('Pages')).map(([name]) => name)).toContain(path);
    await allow();
    await scene.console.visit('/'); // nothing is asked any more
    scene.console.errors.length = 0; // the browser reports each refusal itself
  });

  it('show hosts as people read them, and filter by them as they are', async () => {
    const referrer = 'https://xn--bcher-kva.example/';
    await scene.send('/batch', FIREFOX, [{ name: 'screen_view', path: '/read', sessionId: 'reader', referrer }]);
    await scene.project();
    await scene.visit('/sources?preset=last_7d');
    const row = 'xpath/.//section[@aria-label="Sources"]//button[.="bücher.example"]';
    await page().locator(`${row}[@title="Show only bücher.example"]`).click();
    await page().waitForSelector('xpath/.//*[@class="chip"]/span[.="Referrer is bücher.example"]');
    expect(new URL(page().url()).searchParams.get('filters')).toContain('"xn--bcher-kva.example"');
    await scene.until('document.querySelectorAll("section[aria-label=Sources] tbody tr").length === 1');
  });

  it('read paths in labels as people do, and filter by them as they are', async () => {
    const encoded = '/gr%C3%B6%C3%9Fe';
    await scene.send('/batch', FIREFOX, [{ name: 'screen_view', path: encoded, sessionId: 'reader' }]);
    await scene.project();
    const labels = `[...document.querySelectorAll('main [title], main [aria-label]')]
      .flatMap((each) => [each.title, each.ariaLabel]).filter((label) => /gr(%|ö)/.test(label))`;
    for (const path of ['/realtime', '/pages?preset=last_7d']) {
      await scene.visit(path);
      await scene.until(`${labels}.length > 0`);
      expect(await page().evaluate(`${labels}.filter((label) => label.includes('%'))`)).toEqual([]);
    }
    await page().locator('xpath/.//button[@title="Show only /größe"]').click();
    await page().waitForSelector('xpath/.//button[@aria-label="Remove the filter Page is /größe"]');
    expect(new URL(page().url()).searchParams.get('filters')).toContain(`"${encoded}"`);
    await page().locator('xpath/.//button[starts-with(., "Filter +")]').click();
    await (await page().waitForSelector('.popover [name=value]'))?.type('grö');
    await page().waitForSelector('xpath/.//ul[@class="suggestions"]//bdi[.="/größe"]');
    await scene.visit('/goals/new?preset=last_7d');
    await (await page().waitForSelector('[role=combobox]'))?.type('grö');
    await page().waitForSelector('xpath/.//*[@role="option"]//bdi[.="/größe"]');
  });

  it('ask nothing again of a range that is over, but who is there now', async () => {
    const asked: string[] = [];
    page().on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/query')
        void request.fetchPostData().then((body = '') => asked.push(body));
    });
    await scene.visit(VIEW);
    await scene.table('Pages');
    await waitUntil(() => asked.length > 3);
    const names = asked.flatMap((body) => (JSON.parse(body) as { parameters: { name: string }[] }).parameters);
    const again = names.map(({ name }) => name).filter((name, at, all) => all.indexOf(name) < at);
    expect(new Set(again)).toEqual(new Set(['active_stats']));
  });

  afterEach(() => expect([...scene.console.errors.splice(0), ...dialogs]).toEqual([]));

  const dialogs: string[] = [];
  let scene: WebsiteScene;
  const page = () => scene.console.page;

  /** The requests of a page from now on that are not answered yet: its own count includes all that navigations cut off. */
  const requestsOf = (of: Page): ReadonlySet<HTTPRequest> => {
    const pending = new Set<HTTPRequest>();
    of.on('request', (request) => pending.add(request));
    for (const end of ['requestfinished', 'requestfailed'] as const)
      of.on(end, (request) => void pending.delete(request));
    return pending;
  };

  /** Returns what has the focus, and whether nothing has. */
  const focused = () =>
    page().evaluate('[document.activeElement.textContent, document.activeElement === document.body]') as Promise<
      [string, boolean]
    >;

  const isHarmless = async () =>
    page().evaluate(
      `document.querySelector('main :is(img:not(.mark[src^="/console/assets/"], .mark > img[src^="/v1/websites/"]), script, iframe, object, [onerror], [href^=javascript])') === null`,
    );

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    page().on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await sendShopVisits(scene);
    await attack();
    await scene.console.visit('/');
    await scene.console.signIn();
    await page().waitForSelector('.sparkline polyline'); // a request that is left under way keeps the network from being idle
  }, 120_000);

  afterAll(() => scene.close());

  /** A visitor who writes markup into everything that a browser sends. */
  async function attack(): Promise<void> {
    const at = Date.parse(`${SHOP_DAY}T13:00:00Z`);
    const common = { anonymousId: 'attacker', sessionId: 'attack', timestamp: at };
    const utm = { utm_source: EVIL, utm_medium: EVIL, utm_campaign: EVIL, utm_term: EVIL, utm_content: EVIL };
    const view = { ...common, name: 'screen_view', title: EVIL, referrer: `https://evil.example/${EVIL}`, ...utm };
    await scene.send('/batch', ATTACKER, [
      { ...view, path: `/${EVIL}` },
      { ...view, path: `/search?q=${EVIL}`, timestamp: at + 1_000 },
      { ...common, name: EVIL, path: `/${EVIL}`, properties: { [EVIL]: EVIL, list: [EVIL] }, timestamp: at + 2_000 },
      { ...common, type: 'outgoing_link', href: `https://evil.example/?${EVIL}`, text: EVIL, timestamp: at + 3_000 },
    ]);
    await scene.send('/errors', ATTACKER, [
      {
        ...common,
        path: `/${EVIL}`,
        message: EVIL,
        errorType: EVIL,
        stack: EVIL,
        filename: EVIL,
        timestamp: at + 4_000,
      },
    ]);
    const clicks = { timeOnPage: 9, rageClickCount: 2, rageClickTarget: EVIL, formFieldCount: 1, lastFormField: EVIL };
    await scene.send('/engagement', FIREFOX, [{ ...common, path: '/', ...clicks, timestamp: at + 5_000 }]);
    await scene.project();
  }
});
