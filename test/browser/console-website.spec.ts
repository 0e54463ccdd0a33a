import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BROWSER } from '../../scripts/supervisor/screen';
import { newKey } from '../api/people';
import { root } from '../journeys/product';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const VIEW = `?from=${SHOP_DAY}&to=${SHOP_DAY}`;
const ASSETS = join(root, 'dist', 'apps', 'console', 'assets');
const RANGE = { startDate: SHOP_DAY, endDate: SHOP_DAY };

describeInChromium('the dashboard of a website', () => {
  it('explains an empty website', async () => {
    await scene.visit('');
    await scene.until('document.body.textContent.includes("/tracker.js")');
    const text = await textOf('main');
    expect(text).toContain('No visitors yet');
    expect(text).toContain(`data-website-id="${scene.console.owner.websiteId}"`);
    expect(text).toContain(`npm run simulate -- --website ${scene.console.owner.websiteId}`);
    expect(await scene.console.violations()).toEqual([]);
    await scene.console.picture('empty-website');
  });

  it('shows the first visit by itself', async () => {
    const visitor = { userAgent: BROWSER, address: '203.0.113.9' };
    await scene.send('/batch', visitor, [{ name: 'screen_view', path: '/first' }]);
    await scene.project();
    expect((await scene.table('Pages')).map(([path]) => path)).toEqual(['/first']);
    expect(await textOf('main')).not.toMatch(/No visitors yet|Nothing happened/);
    await sendShopVisits(scene);
  });

  it('shows with one request what the api answers', async () => {
    scene.queries = 0;
    await scene.visit(VIEW);
    const pages = await scene.table('Pages');
    expect(scene.queries).toBe(1);
    const rows = await scene.rows('top_pages', { ...RANGE, limit: 8 });
    expect(pages.map(([name, visitors, views]) => [name, Number(visitors), Number(views)])).toEqual(
      rows.map(({ name, pageviews, visitors }) => [name, visitors, pageviews]),
    );
    const [summary] = await scene.rows('summary_metrics', RANGE);
    for (const name of ['unique_visitors', 'pageviews', 'sessions', 'total_events'] as const)
      expect(await figures()).toContain(String(summary![name]));
    expect(await scene.table('Browsers')).toContainEqual(['Firefox', '1', '7', '8.3\u00A0%']);
  });

  it('compares with the earlier range, or with none', async () => {
    const [{ change_percent: changes } = {}] = await scene.rows('summary_metrics', {
      ...RANGE,
      compare: 'previous_period',
    });
    expect(changes).toMatchObject({ pageviews: 8300, bounce_rate: -100 });
    expect(await textOf('.figures')).toContain('Page views84new from 1');
    expect(await textOf('.figures')).toContain('Bounce rate0\u00A0%−100\u00A0% from 100\u00A0%');
    await scene.visit(`${VIEW}&compare=none`);
    await scene.table('Pages');
    expect(await textOf('.figures')).not.toContain('from');
  });

  it('filters by a click on a row, in the address, and back again', async () => {
    await scene.visit(VIEW);
    await scene.table('Browsers');
    await page().locator('xpath/.//section[@aria-label="Browsers"]//button[.="Firefox"]').click();
    await scene.until('document.querySelector(".chip")');
    expect(await textOf('.chip')).toContain('Browser is Firefox');
    expect(new URL(page().url()).searchParams.get('filters')).toContain('Firefox');
    await scene.until('document.querySelectorAll("section[aria-label=Browsers] tbody tr").length === 1');
    expect((await scene.table('Pages')).map(([name]) => name)).toContain('/only-firefox');
    await page().locator('xpath/.//section[@aria-label="Countries"]//tbody//button').click();
    await scene.until('document.querySelectorAll(".chip").length === 2');
    await page().locator('.chip button[aria-label^=Remove]').click();
    await scene.until('document.querySelectorAll(".chip").length === 1');
    for (let back = 0; back < 3; back++) await page().goBack();
    await scene.until('document.querySelectorAll(".chip").length === 0');
    await scene.until('document.querySelectorAll("section[aria-label=Browsers] tbody tr").length > 1');
  });

  it('pages a list to its end', async () => {
    await scene.visit(VIEW);
    await scene.table('Pages');
    await page().locator('xpath/.//section[@aria-label="Pages"]//a[starts-with(., "Show all")]').click();
    await scene.console.shows('Pages');
    const first = await scene.table('Pages');
    expect(first.length).toBe(50);
    await page().locator('xpath/.//nav[@aria-label="Pages of the list"]//button[.="Next"]').click();
    await scene.until('document.querySelector(".pager").textContent.includes("51–")');
    await scene.until('!document.querySelector(".outdated")');
    const rows = await scene.rows('top_pages', { ...RANGE, limit: 10_000 });
    const names = [...first, ...(await scene.table('Pages'))].map(([name]) => name);
    expect(names).toEqual(rows.map(({ name }) => name));
    expect(await textOf('.pager')).toContain(`of ${rows.length}`);
  });

  it('says how many pages of few events are left out, and shows them', async () => {
    await scene.visit(`/engagement${VIEW}&list=frustration_by_page`);
    await page().waitForSelector('.few-rows');
    const shown = (await scene.rows('frustration_by_page', RANGE)).length;
    const every = (await scene.rows('frustration_by_page', { ...RANGE, minSamples: 1, limit: 1000 })).length;
    expect(await textOf('.few-rows')).toContain(`${every - shown} pages with fewer than 5 page views are not shown.`);
    expect(await scene.console.violations()).toEqual([]);
    await page().locator('.few-rows button').click();
    await scene.until(`document.querySelector('section.full .query-panel-foot').textContent.includes('${every}')`);
    expect(await textOf('.few-rows')).toContain('say little');
  });

  it('draws another figure, and reads it with the keyboard', async () => {
    await scene.visit(VIEW);
    await page().waitForSelector('.figure-value[aria-pressed]');
    await page().locator('xpath/.//button[@title="Draw Page views"]').click();
    await scene.until('location.search.includes("metric=pageviews")');
    await page().waitForSelector('.chart-plot canvas');
    await page().focus('.chart-plot');
    for (const key of ['Home', 'ArrowRight'] as const) await page().keyboard.press(key);
    const [, second] = await scene.rows('events_by_date', { ...RANGE, granularity: 'hourly' });
    expect(await textOf('.chart-reading')).toMatch(
      new RegExp(`\\b1:00( AM)?Page views${second!['pageviews'] as number}`),
    );
  });

  it('gives its rows as CSV, and as a request of curl', async () => {
    const filters = [{ field: 'path', op: 'not_contains', value: `it's "quoted"` }];
    await scene.visit(`${VIEW}&filters=${encodeURIComponent(JSON.stringify(filters))}`);
    await scene.table('Pages');
    const folder = mkdtempSync(join(tmpdir(), 'ledgerline-csv-'));
    const cdp = await page().createCDPSession();
    await cdp.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await exportPages('Download CSV');
    const [file = ''] = await waitUntil(
      () => readdirSync(folder).filter((name) => name.endsWith('.csv')),
      (names) => names.length > 0,
    );
    expect(file).toBe(`Shop_top_pages_${[...new Set([RANGE.startDate, RANGE.endDate])].join('_')}.csv`);
    const rows = await scene.rows('top_pages', { ...RANGE, filters, limit: 10_000 });
    const csv = await waitUntil(
      () => readFileSync(join(folder, file), 'utf8'),
      (text) => text.length > 0,
    );
    rmSync(folder, { recursive: true });
    expect(csv.startsWith('\ufeffname,')).toBe(true);
    expect(csv.trim().split(/\r?\n/).length).toBe(rows.length + 1);
    const { api, owner, browser } = scene.console;
    const clipboard = ['clipboard-read', 'clipboard-write'] as const;
    const granted = clipboard.map((name) => ({ permission: { name }, state: 'granted' as const }));
    await browser.defaultBrowserContext().setPermission(api.settings.publicApiUrl, ...granted);
    await exportPages('Copy as curl');
    await page().waitForSelector('.toast');
    expect(await textOf('.toast')).toContain('Copied the request');
    const command = String(await page().evaluate('navigator.clipboard.readText()'));
    expect(command).toContain('/v1/query?website_id=');
    const key = await newKey(api, owner, { scopes: ['read:data'] });
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('YOUR_API_KEY', key)]);
    expect((JSON.parse(stdout) as { data: [{ data: unknown }] }).data[0].data).toEqual(rows.slice(0, 100));
  });

  it('says that it waits for a slow api, and shows then what it answers', async () => {
    const release = await scene.hold();
    await scene.visit(VIEW);
    await scene.console.shows('Shop');
    await page().waitForSelector('.query-panel .skeleton');
    expect(await scene.console.violations()).toEqual([]);
    await scene.console.picture('website-slow');
    await release();
    expect((await scene.table('Pages')).length).toBe(8);
  });

  it('says once what failed, and tries it again', async () => {
    const allow = await scene.console.refuse('/v1/query', { code: 'RATE_LIMITED', error: 'Too many requests' });
    await scene.visit(VIEW);
    await page().waitForSelector('main .state.failed');
    await scene.until('document.querySelector("section[aria-label=Pages] .no-rows")');
    expect(await page().$$('.state.failed')).toHaveLength(1);
    expect(await scene.console.violations()).toEqual([]);
    await scene.console.picture('website-failed');
    await allow();
    await page().locator('main .state.failed button').click();
    expect((await scene.table('Pages')).length).toBe(8);
    // the browser reports the status itself, of each request
    expect(scene.console.errors.splice(0).filter((error) => !error.includes('status of 400'))).toEqual([]);
  });

  it('loads at most 130 KiB of scripts and styles at first, and 60 KiB more for any other page, compressed by gzip', async () => {
    await scene.visit(VIEW);
    await scene.table('Pages');
    const loaded = (await page().evaluate(
      'performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => /^.console.assets.*[.](js|css)$/.test(path))',
    )) as string[];
    const first = new Set(loaded.map((path) => path.replace('/console/assets/', '')));
    expect(first.size).toBeGreaterThan(3);
    expect(sizeOf(first)).toBeLessThan(130 * 1024);
    const groups = readdirSync(ASSETS).filter((name) => name.includes('-pages-') && name.endsWith('.js'));
    expect(groups.length).toBeGreaterThan(1);
    for (const name of groups) expect(sizeOf(importedBy(name, new Set(first)), first)).toBeLessThan(60 * 1024);
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  let scene: WebsiteScene;

  const page = () => scene.console.page;
  const sizeOf = (names: ReadonlySet<string>, without: ReadonlySet<string> = new Set()) =>
    [...names]
      .filter((name) => !without.has(name))
      .reduce((sum, name) => sum + readFileSync(join(ASSETS, `${name}.gz`)).length, 0);
  /** A file, and what it imports before it runs. */
  const importedBy = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found;
    found.add(name);
    const text = readFileSync(join(ASSETS, name), 'utf8');
    for (const [, each] of text.matchAll(/(?:from|import)"\/console\/assets\/([\w.-]+\.js)"/g))
      importedBy(each!, found);
    return found;
  };
  const textOf = async (selector: string) =>
    String(await page().evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));
  const figures = async () =>
    (await page().evaluate(
      '[...document.querySelectorAll(".figure-value")].map(({ textContent }) => textContent)',
    )) as string[];
  const exportPages = async (item: string) => {
    await page().locator('xpath/.//section[@aria-label="Pages"]//button[contains(., "Export")]').click();
    await page().locator(`xpath/.//*[@role="menuitem"][.="${item}"]`).click();
  };

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    await scene.console.as(1_280, 'light');
    await scene.console.visit('/');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  }, 120_000);

  afterAll(() => scene.close());
});
