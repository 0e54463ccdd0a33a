import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from '../api/ask';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { FIREFOX, sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const VIEW = `?from=${SHOP_DAY}&to=${SHOP_DAY}`;

describeInChromium('visitors and sessions of a website', () => {
  it('show a session as a time line', async () => {
    const rows = await scene.rows('session_list', { startDate: SHOP_DAY, endDate: SHOP_DAY });
    const session = rows.find(({ page_views: views, browser_name: browser }) => views === 7 && browser === 'Firefox')!;
    await scene.visit(`/sessions/${session['session_id'] as string}`);
    await scene.until('document.querySelector(".time-line li")');
    const texts = (await page().evaluate(
      '[...document.querySelectorAll(".time-line li")].map(({ textContent }) => textContent)',
    )) as string[];
    expect(texts.length).toBe(11);
    expect(texts[0]).toMatch(/^12:00:00( PM)?Page view\/$/);
    expect(texts[1]).toMatch(/^2 measurements of the script.*LCP 1.84 s, Good.*CLS 0.31, Poor$/);
    await scene.until('document.querySelector(".facts").textContent.includes("Country")');
    const facts = String(await page().evaluate('document.querySelector(".facts").textContent'));
    expect(facts).toMatch(
      /^Visitor[\da-f]{8}CountryGermanyReferrerDirectDevicedesktopBrowserFirefoxSystemLinuxDuration3\u00A0minPage views7Events10$/,
    );
    expect(texts).toContainEqual(expect.stringMatching(/^12:01:35( PM)?\+5 sError\/checkout.*x is not a function/));
    expect(await scene.console.faults('session')).toEqual([]);
  });

  it('show a visitor, with the way to each session', async () => {
    await scene.visit(`/visitors${VIEW}`);
    await scene.table('Visitors');
    await page().locator('xpath/.//section[@aria-label="Visitors"]//tbody//a').click();
    await scene.until('location.pathname.includes("/visitors/")');
    await scene.table('Sessions');
    expect(await scene.console.violations()).toEqual([]);
    await page().locator('xpath/.//section[@aria-label="Sessions"]//tbody//a').click();
    await scene.until('document.querySelector(".time-line li")');
    await scene.until('document.querySelector(".facts").textContent.includes("Country")');
  });

  it('lead from a session to the next one of its visitor, and back', async () => {
    const at = Date.parse(`${SHOP_DAY}T20:00:00Z`);
    const view = { name: 'screen_view', anonymousId: 'twice', path: '/twice' };
    await scene.send('/batch', FIREFOX, [
      { ...view, sessionId: 'twice-1', timestamp: at },
      { ...view, sessionId: 'twice-2', timestamp: at + 3_600_000 },
    ]);
    await scene.project();
    const rows = await scene.rows('profile_list', { preset: 'last_7d' });
    const row = rows.find(({ session_count: sessions }) => sessions === 2);
    await scene.visit(`/visitors/${row!['visitor_id'] as string}?preset=last_7d`);
    expect((await scene.table('Sessions')).length).toBe(2);
    await page().locator('xpath/.//section[@aria-label="Sessions"]//tbody//a').click();
    await page().waitForSelector('xpath/.//a[.="‹ Previous session"]');
    const newest = page().url();
    expect(await page().$('xpath/.//a[.="Next session ›"]')).toBeNull();
    await page().locator('xpath/.//a[.="‹ Previous session"]').click();
    await page().waitForSelector('xpath/.//a[.="Next session ›"]');
    expect(page().url()).not.toBe(newest);
    await page().locator('xpath/.//a[.="Next session ›"]').click();
    await scene.until(`location.href === ${JSON.stringify(newest)}`);
    await page().locator('xpath/.//dd/a[.!=""]').click();
    await scene.until('location.pathname.includes("/visitors/")');
    await scene.table('Sessions');
  });

  it('are exported, and forgotten in two steps, of which the first counts what will go', async () => {
    const { organizationId, websiteId } = scene.console.owner;
    const at = Date.parse(`${SHOP_DAY}T21:00:00Z`);
    const view = { name: 'screen_view', anonymousId: 'forgotten', path: '/forgotten', sessionId: 'forgotten' };
    await scene.send(
      '/batch',
      FIREFOX,
      [0, 1, 2].map((n) => ({ ...view, path: `/forgotten/${n}`, timestamp: at + n })),
    );
    await scene.project();
    const filters = [{ field: 'path', op: 'starts_with', value: '/forgotten' }];
    const [row] = await scene.rows('profile_list', { startDate: SHOP_DAY, endDate: SHOP_DAY, filters });
    const visitorId = row!['visitor_id'] as string;
    await scene.visit(`/visitors/${visitorId}${VIEW}`);
    expect(await exported()).toMatchObject([
      { kind: 'subject', websiteId, visitors: [visitorId] },
      ...[0, 1, 2].map((n) => ({ kind: 'event', type: 'PageViewed', data: { path: `/forgotten/${n}` } })),
      { kind: 'end', events: 3 },
    ]);
    await page().locator('xpath/.//button[.="Forget"]').click();
    await scene.until('document.querySelector("dialog")?.textContent.includes("Events: 3, sessions: 1")');
    expect(await scene.console.violations()).toEqual([]);
    await page().locator('xpath/.//dialog//button[.="Forget"]').click();
    await scene.until('!document.querySelector("dialog")');
    await scene.console.visit(`/organizations/${organizationId}/audit`);
    await page().locator('xpath/.//summary[starts-with(., "Erasures")]').click();
    await page().waitForSelector('[aria-label="The latest erasures"] tbody tr');
    const shown = await page().evaluate(
      `document.querySelector('[aria-label="The latest erasures"] tbody tr').textContent`,
    );
    expect(shown).toMatch(new RegExp(`^Visitor ${visitorId.slice(0, 8)}.*Under way$`));
    expect(await scene.console.faults('erasures')).toEqual([]);
    const subject = { websiteId, visitors: [visitorId] };
    const listed = await ask(
      scene.console.api,
      `GET /v1/erasures?organizationId=${organizationId}`,
      scene.console.owner,
    );
    expect(listed.body.data).toMatchObject([{ subject, state: 'erasing' }]);
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  /** The records of the file that the button saves. */
  async function exported(): Promise<readonly unknown[]> {
    const folder = mkdtempSync(join(tmpdir(), 'ledgerline-visitor-'));
    const cdp = await page().createCDPSession();
    await cdp.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await page().locator('xpath/.//button[.="Export"]').click();
    const file = join(folder, 'visitor.ndjson');
    const text = await waitUntil(
      () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
      (found) => found.endsWith('\n'),
    );
    rmSync(folder, { recursive: true });
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  let scene: WebsiteScene;
  const page = () => scene.console.page;

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    await sendShopVisits(scene);
    await scene.console.as(1_280, 'light');
    await scene.console.visit('/');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  }, 120_000);

  afterAll(() => scene.close());
});
