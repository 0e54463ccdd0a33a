import type { AddressInfo } from 'node:net';
import { source as axeSource } from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { startTestApi, type TestApi } from '../api/test-api';
import { SCREENS } from './screens';
import { describeInChromium, openChromium } from './chromium';

/** A folder for pictures of the page. */
const PICTURES = process.env['PICTURES'];

describeInChromium('the reference', () => {
  it.each(SCREENS)('fits a screen of %i px in %s colours, for everybody', async (width, colours) => {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
    await open();
    await search('create link');
    await picture(`search-${width}-${colours}`);
    expect(await violations()).toEqual([]);
    await page.click('#found a[href$="/links_create"]');
    await page.waitForSelector(`${CREATE} .samples`);
    await picture(`operation-${width}-${colours}`);
    expect(await violations()).toEqual([]);
    expect(await overflow()).toBe(0);
  });

  it.each([
    ['rate_limited', 'RATE_LIMITED', '#error-RATE_LIMITED'],
    ['retry-after seconds', 'RATE_LIMITED', '#error-RATE_LIMITED'],
    ['top pages', 'top_pages', '#query-type-top_pages'],
    ['short link slug bulk', 'POST /v1/links/bulk', '#/Links/linkBatches_create'],
  ])('finds %j: %s', async (wanted, name, href) => {
    await open();
    await search(wanted);
    const found = await page.evaluate(
      "[...document.querySelectorAll('#found a')].map((link) => [link.querySelector('code').textContent, link.getAttribute('href')])",
    );
    expect(found).toContainEqual([name, href]);
  });

  it('finds nothing in a text that is nowhere', async () => {
    await open();
    await search('xylophone');
    expect(await textOf('#found [role=status]')).toBe('Nothing found');
  });

  it('opens the query type that was found', async () => {
    await open();
    await search('top_pages');
    await page.click('#found a[href="#query-type-top_pages"]');
    await page.waitForSelector('#query-type-top_pages[open] table', { visible: true });
  });

  it('shows samples in the language that was chosen last', async () => {
    await openCreation();
    expect(await textOf(`${CREATE} .samples pre`)).toMatch(/^curl '/);
    await page.click(`xpath/.//*[@id="${CREATE.slice(1)}"]//button[.="Python"]`);
    expect(await textOf(`${CREATE} .samples pre`)).toContain('urllib.request');
    await openCreation();
    expect(await textOf(`${CREATE} .samples pre`)).toContain('urllib.request');
  });

  afterEach(() => expect(errors.splice(0)).toEqual([]));

  const CREATE = '#operations-Links-links_create';

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

  const openCreation = async () => {
    await open('#/Links/links_create');
    await page.waitForSelector(`${CREATE} .samples`);
  };

  async function search(text: string): Promise<void> {
    await page.type('#search', text);
    await page.waitForSelector('#found [role=status]', { visible: true });
  }

  const textOf = async (selector: string) =>
    String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));

  const overflow = async () =>
    Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'));

  const picture = async (name: string) => {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/reference-${name}.png` });
  };

  async function violations(): Promise<unknown> {
    await page.evaluate(axeSource);
    return page.evaluate(
      "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => [id, target, failureSummary].join(' '))))",
    );
  }

  beforeAll(async () => {
    api = await startTestApi();
    browser = await openChromium();
    page = await browser.newPage();
    page.on('console', (message) => {
      const isNotice = message.text().startsWith('Deprecated: escaping deep link'); // of every id with a _
      if (['error', 'warn'].includes(message.type()) && !isNotice) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await api.close();
  });
});
