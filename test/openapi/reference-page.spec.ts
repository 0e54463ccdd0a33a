import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { launch, type Browser, type Page } from 'puppeteer-core';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';

const CHROME = process.env['CHROME_PATH'] ?? '/usr/bin/chromium';
const hasBrowser = existsSync(CHROME);

if (!hasBrowser) console.warn(`There is no browser at ${CHROME}: the reference page is not tested. Set CHROME_PATH.`);

(hasBrowser ? describe : describe.skip)('the reference in a browser', () => {
  it('is rendered whole, loads nothing from other hosts and reports no error', async () => {
    const paths = Object.values((await ask(api, 'GET /openapi.json')).body.paths as Record<string, object>);
    const operations = paths.reduce((sum, methods) => sum + Object.keys(methods).length, 0);
    await expandAll();
    expect(await page.$$eval('.opblock', (blocks) => blocks.length)).toBe(operations);
    expect(await textOf('.info')).toContain('First request');
    expect(await textOf('footer')).toContain('DB-IP');
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('sends a request with a key', async () => {
    await authorize(key);
    await page.click('#operations-Query-query_listWebsites .opblock-summary-control');
    await page.waitForSelector('#operations-Query-query_listWebsites .execute');
    await page.click('#operations-Query-query_listWebsites .execute');
    await page.waitForSelector('#operations-Query-query_listWebsites .live-responses-table .microlight');
    const answered = await textOf('#operations-Query-query_listWebsites .live-responses-table');
    expect(answered).toContain('200');
    expect(answered).toContain('"domain": "example.com"');
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
  });
});

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

let api: TestApi;
let browser: Browser;
let page: Page;
let key: string;
const foreign: string[] = [];
const errors: string[] = [];

beforeAll(async () => {
  if (!hasBrowser) return;
  api = await startTestApi();
  const owner = await ownerWithWebsite(api);
  key = await newKey(api, owner, { scopes: ['read:data'] });
  const { port } = api.app.getHttpServer().address() as AddressInfo;
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
  const shot = process.env['SCREENSHOT'];
  if (shot) await page.screenshot({ path: `${shot}.png`, fullPage: true });
});

afterAll(async () => {
  if (!hasBrowser) return;
  await browser.close();
  await api.close();
});
