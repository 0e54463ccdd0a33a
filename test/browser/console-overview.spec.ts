import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pool } from 'pg';
import { POOL } from '../../apps/api/src/tokens';
import { Favicons } from '../../apps/api/src/websites/favicons';
import { ask } from '../api/ask';
import type { Row } from '../reliability/tenant';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const RANGE = `from=${SHOP_DAY}&to=${SHOP_DAY}`;

describeInChromium('the websites of an organization', () => {
  it('show with one request what happened on each, as its own dashboard does', async () => {
    const asked: string[] = [];
    page().on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v1/query')) asked.push(pathname);
    });
    await visit(`?${RANGE}`);
    await scene.until('document.querySelector(".sparkline polyline[points*=\\" \\"]")');
    expect(asked).toEqual(['/v1/query/overview']);
    const [row] = (await scene.rows('summary_metrics', { startDate: SHOP_DAY, endDate: SHOP_DAY })) as [Row];
    const [shop, blog] = await rows();
    expect(shop![0]).toBe('Shopexample.com ');
    expect(shop![1]).toMatch(new RegExp(`^${String(row['unique_visitors'])}new`));
    expect(shop![2]).toMatch(new RegExp(`^${String(row['pageviews'])}new`));
    expect(blog!.slice(0, 5)).toEqual(['Blogblog.example Public', '0', '0', '', '0']);
    expect(await textOf('.figures')).toContain(`Page views${String(row['pageviews'])}new from 1`);
    expect(await textOf('.sums-note')).toContain('who visits two counts twice');
    expect(await scene.console.faults('overview')).toEqual([]);
  });

  it('say what could not be asked, and ask it again', async () => {
    const allow = await scene.console.refuse('/v1/query/overview', {
      code: 'RATE_LIMITED',
      error: 'Too many requests',
    });
    await visit(`?${RANGE}`);
    await page().waitForSelector('.state.failed');
    expect((await rows())[0]).toContain('–');
    expect(await scene.console.violations()).toEqual([]);
    await allow();
    await page().locator('.state.failed button').click();
    await scene.until('document.querySelector(".sparkline polyline[points*=\\" \\"]")');
    scene.console.errors.length = 0; // the browser reports the refusal itself
  });

  it('remember the range and the zone of a person, also for other pages of figures', async () => {
    await visit('');
    await page().locator('.view-bar .button').click();
    await page().locator('xpath/.//button[.="Last 90 days"]').click();
    await scene.until('location.search.includes("preset=last_90d")');
    await page().locator('xpath/.//button[contains(., "Options")]').click();
    await page().waitForSelector('xpath/.//label[.="Time zone"]');
    await page().select('.popover .field:last-child select', 'Asia/Tokyo');
    await scene.until('location.search.includes("Tokyo")');
    await scene.visit('');
    await scene.until('location.search.includes("preset=last_90d") && location.search.includes("Tokyo")');
    await visit(`?${RANGE}`);
    await scene.console.shows('Websites');
    expect(page().url()).not.toContain('last_90d');
    await page().evaluate('localStorage.clear()');
  });
});

describeInChromium('the icon of a website', () => {
  it('is that of its domain, which the api asks, and a letter before there is one', async () => {
    const favicons = scene.console.api.app.get(Favicons);
    const site = createServer((_, reply) => void reply.end(ICON)).listen(0, '127.0.0.1');
    const requests: string[] = [];
    page().on('request', (request) => requests.push(request.url()));
    await page().setCacheEnabled(false);
    await visit('');
    await page().waitForSelector('.mark[data-letter=S]');
    await favicons.idle();
    await scene.console.api.app.get<Pool>(POOL).query('delete from favicons'); // as if it was never asked
    favicons.guard = { http: true, allows: (address) => address === '127.0.0.1' };
    favicons.addressOf = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    await visit(''); // a letter, or already the icon
    await waitUntil(
      () => ask(scene.console.api, `GET /v1/websites/${scene.console.owner.websiteId}/icon`, scene.console.owner),
      ({ status }) => status === 200,
    );
    await visit('');
    await page().waitForSelector('tbody tr:first-child .mark.own');
    expect(await scene.console.faults('icons')).toEqual([]);
    await page().locator('tbody tr:first-child a').click();
    await page().waitForSelector('.website-header .mark.own');
    await press('k');
    await page().waitForSelector('[role=option] .mark.own');
    await page().keyboard.press('Escape');
    expect([...new Set(requests.map((url) => new URL(url).origin))]).toEqual([scene.console.api.settings.publicApiUrl]);
    await page().setCacheEnabled(true);
    site.close();
  });
});

describeInChromium('the switcher', () => {
  it('leads to a website, found by a few letters, with the keyboard alone', async () => {
    await visit('');
    await scene.console.shows('Websites');
    await press('k');
    await page().waitForSelector('dialog[open] [role=combobox]');
    expect(await scene.console.faults('switcher')).toEqual([]);
    await page().keyboard.type('blog.ex');
    await scene.until('document.querySelectorAll("[role=option]").length === 1');
    expect(await textOf('[role=option][aria-selected=true]')).toBe('Blogblog.example');
    await page().keyboard.press('Enter');
    await scene.console.shows('Blog');
    expect(page().url()).toContain(`/websites/${blogId}`);
    await scene.until('!document.querySelector("dialog")');
  });

  it('leads to the pages of the website, and goes round with the arrow keys', async () => {
    await press('k');
    await page().waitForSelector('[role=option]');
    expect(await textOf('[role=listbox] p')).toBe('Pages of Blog');
    await page().keyboard.press('ArrowUp');
    expect(await active()).toBe(await textOf('[role=group]:last-child [role=option]:last-child'));
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('ArrowDown');
    expect(await active()).toBe('Sources');
    await page().keyboard.press('Enter');
    await scene.console.shows('Sources');
  });

  it('says when nothing is called so', async () => {
    await press('k');
    await page().waitForSelector('[role=combobox]');
    await page().keyboard.type('xyz');
    await scene.until('document.querySelector(".switcher [role=status]").textContent === "Nothing is called so"');
    expect(await scene.console.violations()).toEqual([]);
    await page().keyboard.press('Escape');
    await scene.until('!document.querySelector("dialog")');
  });

  it('is a button on a phone', async () => {
    await scene.console.as(360, 'light');
    await page().locator('.switcher-button').click();
    await page().waitForSelector('dialog[open]');
    await page().type('[role=combobox]', 'account');
    await page().locator('[role=option]').click();
    await scene.console.shows('Your account');
    await scene.console.as(1_280, 'light');
  });
});

afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

/** A dot. */
const ICON = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

let scene: WebsiteScene;
let blogId: string;

const page = () => scene.console.page;
const visit = (search: string) =>
  scene.console.visit(`/organizations/${scene.console.owner.organizationId}/websites${search}`);
const textOf = async (selector: string) =>
  String(await page().evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));
/** Returns what a screen reader says of the option that Enter would open. */
const active = async () =>
  String(
    await page().evaluate(
      'document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).textContent',
    ),
  );
const rows = async () =>
  (await page().evaluate(
    '[...document.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent))',
  )) as string[][];

async function press(key: 'k'): Promise<void> {
  await page().keyboard.down('Control');
  await page().keyboard.press(key);
  await page().keyboard.up('Control');
}

beforeAll(async () => {
  scene = await WebsiteScene.open();
  await sendShopVisits(scene);
  const { api, owner } = scene.console;
  const { organizationId, headers } = owner;
  const blog = { organizationId, name: 'Blog', domain: 'blog.example', isPublic: true };
  blogId = (await ask(api, 'POST /v1/websites', { body: blog, headers })).body.id as string;
  await scene.console.as(1_280, 'light');
  await scene.console.visit('/');
  await scene.console.signIn();
  await scene.console.shows('Websites');
}, 120_000);

afterAll(() => scene.close());
