import { describeInChromium } from './chromium';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const VIEW = `from=${SHOP_DAY}&to=${SHOP_DAY}`;
const RANGE = { startDate: SHOP_DAY, endDate: SHOP_DAY };

describeInChromium('a report', () => {
  it('is sorted by every column, texts from their beginning', async () => {
    const rows = await scene.rows('top_pages', { ...RANGE, limit: 1_000 });
    const byName = rows.map(({ name }) => String(name)).sort();
    await scene.visit(`/pages?${VIEW}`);
    await scene.table('Pages');
    expect(await textsOf('section.full thead button')).toEqual(['Page', 'Visitors ↓', 'Page views', 'Share', 'Change']);
    await page().locator('xpath/.//thead//button[starts-with(., "Page") and not(contains(., "views"))]').click();
    await scene.until('location.search.includes("order=asc") && !document.querySelector(".outdated")');
    expect(await names()).toEqual(byName.slice(0, 50));
    await page().locator('xpath/.//thead//button[starts-with(., "Page ↑")]').click();
    await scene.until('location.search.includes("order=desc") && !document.querySelector(".outdated")');
    expect(await names()).toEqual(byName.toReversed().slice(0, 50));
  });

  it('is paged to its end and back, in one step each', async () => {
    await scene.visit(`/pages?${VIEW}`);
    await scene.table('Pages');
    await page().locator('xpath/.//nav[@aria-label="Pages of the list"]//button[.="Last"]').click();
    await scene.until('document.querySelectorAll("section.full tbody tr").length < 50');
    const { length } = await scene.rows('top_pages', { ...RANGE, limit: 1_000 });
    expect(await textsOf('.pager span')).toEqual([`51–${length} of ${length}`]);
    await page().locator('xpath/.//nav[@aria-label="Pages of the list"]//button[.="First"]').click();
    await scene.until('document.querySelectorAll("section.full tbody tr").length === 50');
  });

  it('is searched as it is read, in the address', async () => {
    await scene.visit(`/pages?${VIEW}`);
    await scene.table('Pages');
    await page().type('.list-tools input', 'PAGE-5');
    await scene.until('location.search.includes("find=PAGE-5") && !document.querySelector(".outdated")');
    const wanted = (await scene.rows('top_pages', { ...RANGE, limit: 1_000 }))
      .map(({ name }) => String(name))
      .filter((name) => name.includes('page-5'));
    expect(await names()).toEqual(wanted);
    expect(await textsOf('section.full .query-panel-foot > span')).toEqual([`${wanted.length} rows`]);
    await scene.visit(`/places?${VIEW}&find=germ`);
    expect(await scene.table('Countries').then((rows) => rows.map(([name]) => name))).toEqual(['Germany']);
    await scene.visit(`/pages?${VIEW}&find=nowhere`);
    await page().waitForSelector('xpath/.//p[.="Nothing in this list holds “nowhere”."]');
  });

  it('shows the columns that are chosen, in the address', async () => {
    await scene.visit(`/pages?${VIEW}`);
    await scene.table('Pages');
    await page().locator('xpath/.//button[.="Columns ▾"]').click();
    await page().locator('xpath/.//label[.="Share"]').click();
    await scene.until('location.search.includes("percentage")');
    await page().reload();
    await scene.table('Pages');
    expect(await textsOf('section.full thead th')).toEqual(['Page', 'Visitors ↓', 'Page views', 'Change', 'Actions']);
    await page().locator('xpath/.//*[@role="tab"][.="Entry pages"]').click();
    await scene.table('Entry pages');
    expect(await textsOf('section.full thead th')).toContain('Share');
  });

  it('is filtered by values that there are, or by what was meant', async () => {
    await scene.visit(`/pages?${VIEW}`);
    await scene.table('Pages');
    await openFilters('browser_name');
    expect(await textsOf('.suggestions li')).toEqual(['Chrome11', 'Firefox1']);
    await page().type('input[name=value]', 'fire');
    await scene.until('document.querySelectorAll(".suggestions li").length === 1');
    await page().locator('.suggestions button').click();
    await page().locator('.popover button[type=submit]').click();
    await scene.until('document.querySelector(".chip") && !document.querySelector(".outdated")');
    expect(await chips()).toEqual(['Browser is Firefox']);
    expect(await names()).toContain('/only-firefox');
    await openFilters('country');
    await page().type('input[name=value]', 'Germny');
    await page().waitForSelector('.popover .as-link');
    expect(await textsOf('.popover [role=status]')).toEqual([
      'Nothing in the range has this value. Did you mean Germany?',
    ]);
    await page().locator('.popover .as-link').click();
    expect(await textsOf('.suggestions li')).toEqual(['Germany1']);
    expect(await scene.console.violations()).toEqual([]);
    await scene.console.picture('filter-form');
    await page().locator('.popover button[type=submit]').click();
    await scene.until('document.querySelectorAll(".chip").length === 2');
  });

  it('is filtered by the opposite of a filter', async () => {
    const filters = encodeURIComponent('[{"field":"browser_name","op":"eq","value":"Firefox"}]');
    await scene.visit(`/pages?${VIEW}&filters=${filters}`);
    await scene.table('Pages');
    await page().locator('button[aria-label="Replace it by: Browser is not Firefox"]').click();
    await scene.until('location.search.includes("ne") && !document.querySelector(".outdated")');
    expect(await chips()).toEqual(['Browser is not Firefox']);
    await page().reload();
    await scene.table('Pages');
    expect(await chips()).toEqual(['Browser is not Firefox']);
    expect(await names()).not.toContain('/only-firefox');
    expect(scene.console.errors).toEqual([]);
  });

  it('is filtered by alternatives, of which one has to hold', async () => {
    const filters = encodeURIComponent('[{"field":"browser_name","op":"eq","value":"Firefox"}]');
    await scene.visit(`/pages?${VIEW}&filters=${filters}`);
    await scene.table('Pages');
    await page().locator('.chip > .button').click();
    await page().waitForSelector('.popover select[name=field]');
    await page().select('.popover select[name=field]', 'path');
    await page().type('.popover input[name=value]', '/page-53');
    await scene.until('document.querySelectorAll(".suggestions li").length === 1');
    await page().locator('.popover button[type=submit]').click();
    await scene.until('location.search.includes("any") && !document.querySelector(".outdated")');
    expect(await chips()).toEqual(['Browser is Firefox or Page is /page-53']);
    const firefox = { field: 'browser_name', op: 'eq', value: 'Firefox' };
    const path = { field: 'path', op: 'eq', value: '/page-53' };
    const wanted = await scene.rows('top_pages', { ...RANGE, filters: [{ any: [firefox, path] }] });
    await page().reload();
    expect(await names()).toEqual(wanted.map(({ name }) => name));
    expect(wanted.map(({ name }) => name)).toEqual(expect.arrayContaining(['/only-firefox', '/page-53']));
    expect(await chips()).toEqual(['Browser is Firefox or Page is /page-53']);
    expect(await scene.console.violations()).toEqual([]);
    await scene.console.picture('alternatives');
    await page().locator('.chip button[aria-label^=Remove]').click();
    await scene.until('!document.querySelector(".chip")');
    expect(scene.console.errors).toEqual([]);
  });

  it('fits every screen', async () => {
    await scene.visit(`/pages?${VIEW}&find=page`);
    await scene.table('Pages');
    expect(await scene.console.faults('report-search')).toEqual([]);
  });

  const page = () => scene.console.page;

  const names = async () => (await scene.table('Pages')).map(([name]) => name);

  const chips = () => textsOf('.chip > span');

  const textsOf = async (selector: string) =>
    (await page().evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ textContent }) => textContent)`,
    )) as string[];

  /** Opens the form of a new filter, with the suggestions for a field. */
  async function openFilters(field: string): Promise<void> {
    await page().locator('xpath/.//button[contains(., "Filter +")]').click();
    await page().waitForSelector('select[name=field]');
    await page().select('select[name=field]', field);
    await page().waitForSelector('.suggestions li');
  }

  let scene: WebsiteScene;

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    await sendShopVisits(scene);
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  });

  afterAll(() => scene.close());
});
