import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'puppeteer-core';
import { startTestApi, type TestApi } from '../api/test-api';
import { overflowOf, RULES_OF_LOOKS, violationsIn } from './accessibility';
import { SCREENS } from './screens';
import { describeInChromium, openChromium } from './chromium';

/** A folder for pictures of the page. */
const PICTURES = process.env['PICTURES'];

describeInChromium('the reference', () => {
  it.each([
    ['rate_limited', 'RATE_LIMITED', '#error-RATE_LIMITED'],
    ['retry-after seconds', 'RATE_LIMITED', '#error-RATE_LIMITED'],
    ['top pages', 'top_pages', '#query-type-top_pages'],
    ['short link slug bulk', 'POST /v1/links/bulk', '#/Links/linkBatches_create'],
  ])('finds %j: %s', async (wanted, name, href) => {
    await search(wanted);
    const found = await page.evaluate(
      "[...document.querySelectorAll('#found a')].map((link) => [link.querySelector('code').textContent, link.getAttribute('href')])",
    );
    expect(found).toContainEqual([name, href]);
  });

  it('finds nothing in a text that is nowhere', async () => {
    await search('xylophone');
    expect(await textOf('#found [role=status]')).toBe('Nothing found');
  });

  it('opens the query type that was found', async () => {
    await search('top_pages');
    await page.click('#found a[href="#query-type-top_pages"]');
    await page.waitForSelector('#query-type-top_pages[open] table', { visible: true });
  });

  it('opens the operation that was found', async () => {
    await search('create link');
    await page.click('#found a[href$="/links_create"]');
    await page.waitForSelector(`${CREATE} .samples`);
    expect(await textOf(`${CREATE} .samples pre`)).toMatch(/^curl '/);
  });

  it.each(SCREENS)('fits a screen of %i px in %s colours, for everybody', async (width, colours) => {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
    await search('create link'); // above the operation that is open
    await picture(`${width}-${colours}`);
    const rules = colours === SCREENS[0]![1] ? {} : { rules: RULES_OF_LOOKS };
    expect(await violationsIn(page, { ...rules, exclude: ALIKE })).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  it('shows samples in the language that was chosen last', async () => {
    await page.keyboard.press('Escape');
    await page.click(`xpath/.//*[@id="${CREATE.slice(1)}"]//button[.="Python"]`);
    expect(await textOf(`${CREATE} .samples pre`)).toContain('urllib.request');
    await open('#/Links/links_create');
    await page.waitForSelector(`${CREATE} .samples`);
    expect(await textOf(`${CREATE} .samples pre`)).toContain('urllib.request');
  });

  afterEach(() => expect(errors.splice(0)).toEqual([]));

  const CREATE = '#operations-Links-links_create';
  /** Of hundreds of entries of one form, all but the first ones. */
  const ALIKE = [
    '.opblock-tag-section:not(:has(#operations-tag-Links))',
    '#query-types details:nth-of-type(n + 4)',
    '#errors details:nth-of-type(n + 4)',
  ];

  let api: TestApi;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];

  async function open(fragment = ''): Promise<void> {
    await page.goto('about:blank'); // another fragment alone loads nothing
    const { port } = api.app.getHttpServer().address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/${fragment}`);
    await page.waitForSelector('.opblock-tag-section');
  }

  /** Instead of what was searched for before. */
  async function search(text: string): Promise<void> {
    const field = await page.waitForSelector('#search');
    await field!.evaluate((input) => ((input as unknown as { value: string }).value = ''));
    await field!.type(text);
    await page.waitForSelector('#found [role=status]', { visible: true });
  }

  const textOf = async (selector: string) =>
    String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));

  const picture = async (name: string) => {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/reference-${name}.png` });
  };

  beforeAll(async () => {
    api = await startTestApi();
    browser = await openChromium();
    page = await browser.newPage();
    page.on('console', (message) => {
      const isNotice = message.text().startsWith('Deprecated: escaping deep link'); // of every id with a _
      if (['error', 'warn'].includes(message.type()) && !isNotice) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    await open();
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await api.close();
  });
});
