import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'puppeteer-core';
import { ask } from '../api/ask';
import { startQueryApi, type QueryApi } from '../query/query-api';
import { overflowOf, RULES_OF_LOOKS, violationsIn } from './accessibility';
import { describeInChromium, openChromium } from './chromium';
import { SCREENS } from './screens';

/** A folder for pictures of the page. */
const PICTURES = process.env['PICTURES'];

/** In one page, as loading it and opening an operation take seconds. */
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
    await page.locator('#found a[href="#query-type-top_pages"]').click();
    await page.waitForSelector('#query-type-top_pages[open] table', { visible: true });
  });

  it('opens the operation that was found', async () => {
    await search('create link');
    await page.locator('#found a[href$="/links_create"]').click();
    await page.waitForSelector(`${CREATE} .samples`);
    expect(await textOf(`${CREATE} .samples pre`)).toMatch(/^curl '/);
  });

  it.each(SCREENS)('fits a screen of %i px in %s colours, for everybody', async (width, colours) => {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
    await page.waitForSelector(colours === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)');
    await search('create link'); // above the operation that is open
    await picture(`${width}-${colours}`);
    const rules = colours === SCREENS[0]![1] ? {} : { rules: RULES_OF_LOOKS };
    expect(await violationsIn(page, { ...rules, exclude: ALIKE })).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
  });

  it('is rendered whole', async () => {
    const paths = Object.values((await ask(on.api, 'GET /openapi.json')).body.paths as Record<string, object>);
    const operations = paths.reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    await page.keyboard.press('Escape');
    expect(await shownOperations()).toBe(operations);
    expect(await textOf('.info')).toContain('First request');
    expect(await textOf('footer')).toContain('DB-IP');
  });

  it('names the schema of a body', async () => {
    await page.locator(`xpath/.//*[@id="${CREATE.slice(1)}"]//button[.="Schema"]`).click();
    await page.waitForSelector(`${CREATE} .json-schema-2020-12__title`);
    expect(await textOf(`${CREATE} .json-schema-2020-12__title`)).toBe('CreateLinkDto');
  });

  it('sends a request with a key', async () => {
    await authorize();
    await page.locator(`${LIST_WEBSITES} .opblock-summary-control`).click();
    expect(await answerOf(LIST_WEBSITES)).toMatch(/200.*"domain": "example.com"/s);
  });

  it('shows samples in the language that was chosen last', async () => {
    await page.locator(`xpath/.//*[@id="${CREATE.slice(1)}"]//button[.="Python"]`).click();
    expect(await textOf(`${CREATE} .samples pre`)).toContain('urllib.request');
    await page.setViewport({ width: PHONE, height: 740 });
    await open('#/Query/query_ask');
    await page.waitForSelector(`${ASK} .samples`);
    expect(await textOf(`${ASK} .samples pre`)).toContain('urllib.request');
  });

  it('fits a phone, from the first line to the answer of a query', async () => {
    await shownOperations();
    await page.waitForSelector(`${ASK} .execute`);
    expect({ request: await beyondEdge() }).toEqual({ request: [] });
    await page.locator('.btn.authorize').click();
    await page.waitForSelector('.dialog-ux input');
    expect({ dialog: await beyondEdge() }).toEqual({ dialog: [] });
    await page.locator('.dialog-ux .btn-done').click();
    await authorize();
    await page.locator(`${ASK} input[placeholder="website_id"]`).click({ count: 3 });
    await page.keyboard.sendCharacter(on.owner.websiteId);
    expect(await answerOf(ASK)).toContain('"unique_visitors": 0');
    expect({ answer: await beyondEdge() }).toEqual({ answer: [] });
    await picture('phone');
  });

  afterEach(() => {
    expect(foreign).toEqual([]);
    expect(errors.splice(0)).toEqual([]);
  });

  /** CSS pixels of a narrow phone. */
  const PHONE = 360;
  /** The tags that stay open. */
  const USED: readonly string[] = ['operations-tag-Query', 'operations-tag-Links'];
  const CREATE = '#operations-Links-links_create';
  const LIST_WEBSITES = '#operations-Query-query_listWebsites';
  const ASK = '#operations-Query-query_ask';
  /** All but the first ones of hundreds of entries of one form. */
  const ALIKE = [
    '.opblock-tag-section:not(:has(#operations-tag-Links))',
    '#query-types details:nth-of-type(n + 4)',
    '#errors details:nth-of-type(n + 4)',
  ];

  let on: QueryApi;
  let browser: Browser;
  let page: Page;
  let origin: string;
  /** Requests to other hosts. */
  const foreign: string[] = [];
  const errors: string[] = [];

  async function open(fragment = ''): Promise<void> {
    await page.goto('about:blank'); // another fragment alone loads nothing
    await page.goto(`${origin}/${fragment}`);
    await page.waitForSelector('.opblock-tag-section');
  }

  /** Instead of what was searched for before. */
  async function search(text: string): Promise<void> {
    const field = await page.waitForSelector('#search');
    await field!.evaluate((input) => ((input as unknown as { value: string }).value = ''));
    await field!.type(text);
    await page.waitForSelector('#found [role=status]', { visible: true });
  }

  /** Counts how many operations there are, tag by tag: Swagger UI drops tags while far more than a hundred are open. */
  async function shownOperations(): Promise<number> {
    let shown = 0;
    const ids = (await page.evaluate("[...document.querySelectorAll('.opblock-tag')].map(({ id }) => id)")) as string[];
    for (const id of ids) {
      const tag = `[id="${id}"]`;
      const section = `.opblock-tag-section:has(> ${tag}) .opblock`;
      const isClosed = (await page.$(`${tag}[data-is-open="false"]`)) !== null;
      if (isClosed) await page.locator(tag).click();
      await page.waitForSelector(section);
      shown += await page.$$eval(section, (operations) => operations.length);
      if (isClosed && !USED.includes(id)) await page.locator(tag).click();
    }
    return shown;
  }

  async function authorize(): Promise<void> {
    await page.locator('.btn.authorize').click();
    await page.waitForSelector('.dialog-ux input');
    await page.focus('.dialog-ux input');
    await page.keyboard.sendCharacter(on.key);
    await page.locator('.dialog-ux .auth-btn-wrapper .authorize').click();
    await page.locator('.dialog-ux .btn-done').click();
  }

  /** Returns what is shown of the response to an operation that is open. */
  async function answerOf(operation: string): Promise<string> {
    await page.waitForSelector(`${operation} .execute`);
    await page.locator(`${operation} .execute`).click();
    await page.waitForSelector(`${operation} .live-responses-table .microlight`);
    return textOf(`${operation} .live-responses-table`);
  }

  const textOf = async (selector: string) =>
    String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));

  /**
   * Returns what lies beyond the edge of the window, unless it can be scrolled where it is, or of its cell of a table.
   */
  const beyondEdge = (): Promise<unknown> =>
    page.evaluate(`(() => {
      const scrolls = (element) => element !== document.body &&
        (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
      const isBeyond = (element) => {
        const { left, right } = element.getBoundingClientRect();
        const isWide = element.tagName === 'TD' && element.scrollWidth > element.clientWidth + 1;
        return element.checkVisibility() && (isWide || right > ${PHONE} + 1 || left < -1) && !scrolls(element.parentElement);
      };
      return [...document.querySelectorAll('body *')].filter(isBeyond).map(({ tagName, className }) => tagName + ' ' + className);
    })()`);

  const picture = async (name: string) => {
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/reference-${name}.png` });
  };

  beforeAll(async () => {
    on = await startQueryApi();
    origin = `http://127.0.0.1:${(on.api.app.getHttpServer().address() as AddressInfo).port}`;
    browser = await openChromium();
    page = await browser.newPage();
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !/^(data|about):/.test(request.url())) foreign.push(request.url());
    });
    page.on('console', (message) => {
      const isNotice = message.text().startsWith('Deprecated: escaping deep link'); // of every id with a _
      if (['error', 'warn'].includes(message.type()) && !isNotice) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    await open();
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await on.close();
  });
});
