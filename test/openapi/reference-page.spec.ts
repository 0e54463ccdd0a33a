import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { launch, type Browser, type Page } from 'puppeteer-core';
import { ask } from '../api/ask';
import { startQueryApi, type QueryApi } from '../query/query-api';

const CHROME = process.env['CHROME_PATH'] ?? '/usr/bin/chromium';
const hasBrowser = existsSync(CHROME);

if (!hasBrowser) console.warn(`There is no browser at ${CHROME}: the reference page is not tested. Set CHROME_PATH.`);

(hasBrowser ? describe : describe.skip)('the reference in a browser', () => {
  it('is rendered whole, loads nothing from other hosts and reports no error', async () => {
    const paths = Object.values((await ask(on.api, 'GET /openapi.json')).body.paths as Record<string, object>);
    const operations = paths.reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    await expandAll();
    expect(await page.$$eval('.opblock', (blocks) => blocks.length)).toBe(operations);
    expect(await textOf('.info')).toContain('First request');
    expect(await textOf('footer')).toContain('DB-IP');
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('sends a request with a key', async () => {
    await authorize(on.key);
    await open(LIST_WEBSITES);
    await page.click(`${LIST_WEBSITES} .execute`);
    await page.waitForSelector(`${LIST_WEBSITES} .live-responses-table .microlight`);
    const answered = await textOf(`${LIST_WEBSITES} .live-responses-table`);
    expect(answered).toContain('200');
    expect(answered).toContain('"domain": "example.com"');
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('fits a phone, from the first line to the answer of a query', async () => {
    await page.setViewport({ width: PHONE, height: 740 });
    await page.goto(new URL('/', page.url()).href, { waitUntil: 'networkidle0' });
    await expandAll();
    expect({ start: await beyondEdge() }).toEqual({ start: [] });
    await page.click('.btn.authorize');
    await page.waitForSelector('.dialog-ux input');
    expect({ dialog: await beyondEdge() }).toEqual({ dialog: [] });
    await page.click('.dialog-ux .btn-done');
    await authorize(on.key);
    await open(ASK);
    await page.click(`${ASK} input[placeholder="website_id"]`, { count: 3 });
    await page.type(`${ASK} input[placeholder="website_id"]`, on.owner.websiteId);
    expect({ request: await beyondEdge() }).toEqual({ request: [] });
    await page.click(`${ASK} .execute`);
    await page.waitForSelector(`${ASK} .live-responses-table .microlight`);
    if (SHOT) await (await page.$(ASK))?.screenshot({ path: `${SHOT}-phone.png` });
    expect(await textOf(`${ASK} .live-responses-table`)).toContain('"unique_visitors": 0');
    expect({ answer: await beyondEdge() }).toEqual({ answer: [] });
  });
});

const SHOT = process.env['SCREENSHOT'];
const LIST_WEBSITES = '#operations-Query-query_listWebsites';
const ASK = '#operations-Query-query_ask';

/** CSS pixels of a narrow phone. */
const PHONE = 360;

/** What lies beyond the edge of the window, unless it can be scrolled where it is, or of its cell of a table. */
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

/** Opens an operation, ready to send a request. */
async function open(operation: string): Promise<void> {
  await page.click(`${operation} .opblock-summary-control`);
  await page.waitForSelector(`${operation} .execute`);
}

const textOf = async (selector: string): Promise<string> =>
  String(await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));

/** Groups are open at first; this waits until all are there. */
async function expandAll(): Promise<void> {
  await page.waitForSelector('.opblock-tag-section');
  for (const tag of await page.$$('.opblock-tag[data-is-open="false"]')) await tag.click();
  await page.waitForSelector('.opblock-tag[data-is-open="false"]', { hidden: true });
}

async function authorize(secret: string): Promise<void> {
  await page.click('.btn.authorize');
  await page.waitForSelector('.dialog-ux input');
  await page.type('.dialog-ux input', secret);
  await page.click('.dialog-ux .auth-btn-wrapper .authorize');
  await page.click('.dialog-ux .btn-done');
}

let on: QueryApi;
let browser: Browser;
let page: Page;
const foreign: string[] = [];
const errors: string[] = [];

beforeAll(async () => {
  if (!hasBrowser) return;
  on = await startQueryApi();
  const { port } = on.api.app.getHttpServer().address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  browser = await launch({ executablePath: CHROME, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 1600 });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${origin}/`, { waitUntil: 'networkidle0' });
  if (SHOT) await page.screenshot({ path: `${SHOT}.png`, fullPage: true });
});

afterAll(async () => {
  if (!hasBrowser) return;
  await browser.close();
  await on.close();
});
