import { describeInChromium } from './chromium';
import { FIREFOX, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const DAY_MS = 86_400_000;
const day = (place: number): string => new Date(Date.parse(SHOP_DAY) + place * DAY_MS).toISOString().slice(0, 10);
const FIRST = day(-2);
const VIEW = `?from=${FIRST}&to=${SHOP_DAY}`;

describeInChromium('retention', () => {
  it('shows who came back as the api counts them, in cells that a screen reader reads', async () => {
    await sendVisits();
    await scene.visit(`/retention${VIEW}&period=day`);
    const shown = await scene.table('Retention');
    const rows = await scene.rows('retention', {
      startDate: FIRST,
      endDate: SHOP_DAY,
      parameters: [{ name: 'retention', period: 'day' }],
    });
    const first = rows.filter(({ cohort }) => cohort === FIRST);
    expect(first.map(({ retained }) => retained)).toEqual([3, 2, 1, 0]);
    expect(shown[0]!.slice(1)).toEqual(['3', '67\u00A0%, 2 of 3', '33\u00A0%, 1 of 3', '0\u00A0%, 0 of 3']);
    const foot = await page().evaluate('document.querySelector(".query-panel-foot .soft").textContent');
    expect(foot).toMatch(/^The day of \S+ is not over: /);
    expect(await scene.console.faults('retention')).toEqual([]);
    await scene.console.as(1_280, 'light');
  });

  it('leads to the script that keeps ids, for a website that has them', async () => {
    await scene.until('document.querySelector("main p.soft code")');
    expect(await textOf('main p.soft code')).toBe('data-storage="local"');
    await page().locator('main p.soft a').click();
    await scene.until('location.pathname.endsWith("/install")');
    for (const guide of ['Next.js', 'Nuxt', 'WordPress', 'Google Tag Manager', 'Single-page app', 'HTML']) {
      await page().locator(`::-p-aria(${guide}[role="tab"])`).click();
      await scene.until(`/data-storage.*local/.test(document.querySelector(".code-block code")?.textContent)`);
    }
    expect(await textOf('.code-block code')).toMatch(/ data-website-id="\w+" data-storage="local"><\/script>$/);
    expect(await textOf('main')).toContain('keeps a random id in the browser');
    await scene.visit(`/retention${VIEW}&period=day`);
    await scene.table('Retention');
  });

  it('goes by weeks and months, in the address', async () => {
    await choose('Months');
    await scene.until('location.search.includes("period=month") && document.querySelector("section.full thead th")');
    await scene.until('document.querySelector("section.full thead th").textContent === "First came in the month from"');
    await scene.change({ visitorIdentity: 'monthly' });
    await scene.visit(`/retention${VIEW}&period=month`);
    await scene.table('Retention');
    const tabs = 'JSON.stringify([...document.querySelectorAll("main [role=tab]")].map((tab) => tab.textContent))';
    expect(JSON.parse(String(await page().evaluate(tabs)))).toEqual(['Days', 'Weeks']);
  });

  it('says what to change where ids end with the day', async () => {
    await scene.change({ visitorIdentity: 'daily' });
    await scene.visit(`/retention${VIEW}`);
    await page().waitForSelector('xpath/.//h2[.="No returning visitors"]');
    expect(await scene.console.faults('retention-daily')).toEqual([]);
    await page().locator('main .state a.button').click();
    await scene.until('location.pathname.endsWith("/settings")');
    expect(scene.console.errors).toEqual([]);
  });

  const page = () => scene.console.page;

  const textOf = async (selector: string) =>
    String(await page().evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));

  const choose = (tab: string) => page().locator(`xpath/.//main//*[@role="tab"][.="${tab}"]`).click();

  /** Three visitors on the first day, of whom two come back on the next, and one on the day after it. */
  async function sendVisits(): Promise<void> {
    const visits = [
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['a', 1],
      ['b', 1],
      ['a', 2],
    ] as const;
    const items = visits.map(([who, place]) => ({
      name: 'screen_view',
      anonymousId: who,
      sessionId: `${who}-${place}`,
      path: '/',
      timestamp: Date.parse(`${day(place - 2)}T12:00:00Z`),
    }));
    await scene.send('/batch', FIREFOX, items);
    await scene.project();
  }

  let scene: WebsiteScene;

  beforeAll(async () => {
    scene = await WebsiteScene.open({ visitorIdentity: 'stable' });
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  });

  afterAll(() => scene.close());
});
