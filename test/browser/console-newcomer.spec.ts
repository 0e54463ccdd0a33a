import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { PASSWORD } from '../api/people';
import { root } from '../journeys/product';
import { describeInChromium, openChromium } from './chromium';
import { Person } from './person';
import { openTrackedConsole, type TrackedConsole } from './tracked-console';

const DOMAIN = 'shop.example.com';

/** Counts the clicks of a newcomer, and not what is typed. */
describeInChromium('a newcomer', () => {
  it('has an account, an organization and a website in four clicks, and copies its script with a fifth', async () => {
    await page().goto(`${consoleUrl}/sign-up`);
    await newcomer.fill('Name', 'Ada');
    await newcomer.fill('Email', 'newcomer@example.com');
    await newcomer.fill('Password', PASSWORD);
    await click('button', 'Create the account');
    await newcomer.shows('New organization');
    await newcomer.fill('Name', 'Acme');
    await click('button', 'Create the organization');
    await newcomer.shows('Websites');
    await click('link', 'New website');
    await newcomer.shows('New website');
    await newcomer.fill('Domain', `https://${DOMAIN}/welcome`);
    expect(await page().evaluate('document.querySelector("[name=name]").value')).toBe(DOMAIN);
    await newcomer.fill('Name', 'Shop');
    await click('button', 'Create the website');
    await newcomer.shows('Install on Shop');
    script = await textOf('.code-block code');
    await click('button', 'Copy the code');
    expect(clicks).toBe(5);
  });

  it('is told when the first visitor of the page with the script has come, and sees it with a click', async () => {
    const visitor = await visitors.newPage();
    await visitor.setRequestInterception(true);
    visitor.on('request', (request) => {
      const isScript = request.url() === `${track.trackUrl}/tracker.js`; // as it was built; this tracker runs from its sources
      void (isScript ? request.respond({ contentType: 'text/javascript', body: builtScript() }) : request.continue());
    });
    const sent = visitor.waitForResponse(
      (response) => response.ok() && response.url().startsWith(`${track.trackUrl}/batch`),
    );
    await visitor.goto(`http://${DOMAIN}:${(site.address() as AddressInfo).port}/welcome`);
    await sent;
    await track.catchUp();
    await newcomer.reads('The first event has arrived');
    await click('link', 'See it on the dashboard');
    await newcomer.shows('Shop');
    await page().waitForSelector(ROW_OF_PAGE);
    expect(clicks).toBe(1);
  });

  it('filters by a click on what it is about', async () => {
    await click(ROW_OF_PAGE);
    await page().waitForFunction('document.querySelector(".chip")?.textContent.startsWith("Page is /welcome")');
    expect(clicks).toBe(1);
  });

  it('sees what happens now with a click', async () => {
    await click(tab('Realtime'));
    await newcomer.shows('Realtime');
    await page().waitForSelector('xpath/.//section[@aria-label="Events"]//tbody/tr[contains(., "/welcome")]');
    expect(clicks).toBe(1);
  });

  it('shows the figures to a visitor without an account with two', async () => {
    await click('link', 'Share');
    await newcomer.shows('New share');
    await newcomer.fill('Name', 'The boss');
    await click('button', 'Create the share');
    await newcomer.shows('Share for The boss');
    expect(clicks).toBe(2);
    const boss = await (await track.scene.browser.createBrowserContext()).newPage();
    await boss.goto(await textOf('.code-block code'));
    await boss.waitForSelector(ROW_OF_PAGE);
    await boss.close();
  });

  it.each<[heading: string, ...path: string[]]>([
    ['Pages', ...inMenu('Behaviour', 'Pages')],
    ['Sources', tab('Sources')],
    ['Places', ...inMenu('Audience', 'Places')],
    ['Devices', ...inMenu('Technology', 'Devices')],
    ['Visitors', ...inMenu('Audience', 'Visitors')],
    ['Sessions', ...inMenu('Audience', 'Sessions')],
    ['Events', ...inMenu('Behaviour', 'Events')],
    ['Errors', ...inMenu('Technology', 'Errors')],
    ['Vitals', ...inMenu('Technology', 'Vitals')],
    ['Flow', ...inMenu('Behaviour', 'Flow')],
    ['Retention', ...inMenu('Audience', 'Retention')],
    ['Goals', ...inMenu('Goals & funnels', 'Goals')],
    ['Funnels', ...inMenu('Goals & funnels', 'Funnels')],
    ['Segments', ...inMenu('Audience', 'Segments')],
    ['Install on Shop', 'xpath/.//main//a[.="Install"]'],
    ['Settings of Shop', 'xpath/.//main//a[.="Settings"]'],
    ['Websites', navigated('Websites')],
    ['New link', navigated('Links'), 'xpath/.//main//a[.="New link"]'],
    ['Flags', navigated('Flags')],
    ['Monitors', navigated('Monitors')],
    ['Members', navigated('Members')],
    ['Audit log', navigated('Audit log')],
  ])('goes from the dashboard to %s in at most two clicks', async (heading, ...path) => {
    expect(path.length).toBeLessThanOrEqual(2);
    await page().goto(dashboard());
    await newcomer.shows('Shop');
    for (const each of path) await click(each);
    await page().waitForSelector(`xpath/.//h1[starts-with(normalize-space(), ${JSON.stringify(heading)})]`);
  });
});

const builtScript = () => readFileSync(join(root, 'dist', 'apps', 'tracker', 'browser', 'tracker.js'));

let track: TrackedConsole;
let newcomer: Person;
let visitors: Browser;
let site: Server;
let script: string;
let clicks: number;

const page = (): Page => newcomer.page;
const ROW_OF_PAGE = 'xpath/.//section[@aria-label="Pages"]//button[.="/welcome"]';
function tab(name: string): string {
  return `xpath/.//nav[starts-with(@aria-label, "Pages of")]//a[.="${name}"]`;
}
function inMenu(menu: string, name: string): string[] {
  return [
    `xpath/.//nav[starts-with(@aria-label, "Pages of")]//button[starts-with(normalize-space(), "${menu}")]`,
    `xpath/.//*[@role="menuitem"][.="${name}"]`,
  ];
}
function navigated(name: string): string {
  return `xpath/.//nav[@id="navigation"]//a[normalize-space()="${name}"]`;
}
const dashboard = () => `${/.*\/websites\/\w+/.exec(websiteUrl)![0]}/?preset=last_7d`;
let websiteUrl: string;
let consoleUrl: string;

/** By its role and name, or by a selector. */
async function click(...wanted: [role: 'button' | 'link', name: string] | [selector: string]): Promise<void> {
  clicks++;
  if (wanted.length === 2) await newcomer.press(wanted[1], wanted[0]);
  else await page().locator(wanted[0]).click();
  if (/\/websites\/site_/.test(page().url())) websiteUrl = page().url();
}

const textOf = async (selector: string) =>
  String(await page().evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));

beforeEach(() => void (clicks = 0));
afterEach(() => expect(track.scene.errors.splice(0)).toEqual([]));

beforeAll(async () => {
  track = await openTrackedConsole();
  const { scene } = track;
  await scene.as(1_280, 'light');
  consoleUrl = `${scene.api.settings.publicApiUrl}/console`;
  newcomer = new Person(scene.page);
  site = createServer((_, reply) => {
    reply.setHeader('content-type', 'text/html').end(`<!doctype html><title>Welcome</title>${script}<h1>Welcome</h1>`);
  }).listen(0, '127.0.0.1');
  visitors = await openChromium([DOMAIN]);
}, 120_000);

afterAll(async () => {
  await visitors.close();
  site.close();
  await track.close();
});
