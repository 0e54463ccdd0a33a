import type { HTTPRequest } from 'puppeteer-core';
import { describeInChromium } from './chromium';
import { ConsoleScene } from './console-scene';

/** Longer than routers wait before they show that they wait. */
const PATIENCE_MS = 1_500;
/** The button of the account's menu. */
const ACCOUNT = 'xpath/.//button[contains(@class, "menu-button")][contains(., "Account")]';

describeInChromium('the console', () => {
  it('refuses a wrong password with a sentence', async () => {
    await scene.visit('/sign-in');
    await scene.signIn('wrong password');
    await scene.page.waitForSelector('[role=alert]');
    expect(await textOf('[role=alert]')).toBe('Email or password is wrong.');
    expect(scene.errors.splice(0)).toEqual([expect.stringContaining('401')]); // the browser reports the status itself
  });

  it('leads from the sign-in to the websites', async () => {
    await scene.visit('/sign-in');
    await scene.signIn();
    await scene.shows('Websites');
    await scene.browser.deleteCookie(...(await scene.browser.cookies()));
  });

  it('leads those who are not signed in over the sign-in back to the page they asked for', async () => {
    const websites = `/organizations/${scene.owner.organizationId}/websites?search=shop`;
    await scene.visit(websites);
    await scene.signIn();
    await scene.shows('Websites');
    expect(scene.page.url().endsWith(`/console${websites}`)).toBe(true);
    expect(await textOf('tbody')).toContain('example.com');
    expect(await textOf('.top')).toContain('Acme');
  });

  it('keeps what is searched for in the address', async () => {
    await scene.page.type('input[type=search]', 'x');
    await scene.page.waitForSelector('.state');
    expect(await textOf('.state')).toContain('No website matches');
    expect(new URL(scene.page.url()).searchParams.get('search')).toBe('shopx');
  });

  it('fits every screen, for everybody', async () => {
    await scene.visit('/');
    await scene.shows('Websites');
    expect(await scene.faults('websites')).toEqual([]);
  });

  it('is used with the keyboard alone', async () => {
    await scene.visit('/');
    await scene.shows('Websites');
    await scene.page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to content');
    await scene.page.keyboard.press('Enter');
    expect(await scene.page.evaluate('document.activeElement.id')).toBe('main');
  });

  it('opens its navigation on a small screen', async () => {
    await scene.as(360, 'light');
    await scene.visit('/');
    await scene.shows('Websites');
    await scene.page.locator('button[aria-controls=navigation]').click();
    await scene.page.waitForSelector('.navigation a.active', { visible: true });
    expect(await scene.violations()).toEqual([]);
  });

  it('keeps the chosen theme, and shows nothing in the other one before', async () => {
    await scene.as(1_280, 'light');
    await scene.page.locator(ACCOUNT).click();
    await scene.page.waitForSelector('[role=menu]');
    expect(await scene.violations()).toEqual([]);
    await scene.picture('menu');
    await scene.page.locator('xpath/.//*[@role="menuitemradio"][starts-with(., "Dark")]').click();
    const dark = await background();
    expect(dark).not.toBe(await lightBackground());
    await scene.page.reload({ waitUntil: 'domcontentloaded' });
    expect(await background()).toBe(dark);
  });

  it('leaves a page as it is until the next one has what it shows', async () => {
    await scene.visit('/');
    await scene.shows('Websites');
    const held: HTTPRequest[] = [];
    const hold = (request: HTTPRequest) => {
      if (new URL(request.url()).pathname === '/v1/flags') held.push(request);
      else void request.continue();
    };
    scene.page.on('request', hold);
    await scene.page.setRequestInterception(true);
    await scene.page.locator('.navigation a[href$="/flags"]').click();
    await scene.page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${PATIENCE_MS}))`);
    await scene.shows('Websites');
    scene.page.off('request', hold);
    await Promise.all(held.map((request) => request.continue()));
    await scene.page.setRequestInterception(false);
    await scene.shows('Flags');
  });

  it('says in every tab that the browser is offline', async () => {
    const other = await scene.browser.newPage();
    await other.goto(scene.page.url());
    await other.waitForSelector('h1');
    for (const tab of [scene.page, other]) {
      await tab.setOfflineMode(true);
      await tab.waitForSelector('xpath/.//*[@role="status"][contains(., "The browser is offline")]');
    }
    for (const tab of [other, scene.page]) {
      await tab.setOfflineMode(false);
      await tab.waitForSelector('.offline[hidden]');
    }
    await other.close();
  });

  it('shows what the api refused, and tries it again', async () => {
    const allow = await scene.refuse('/v1/websites', { code: 'RATE_LIMITED', error: 'Too many requests' });
    await scene.visit('/');
    await scene.shows('This page cannot be shown');
    expect(await textOf('.state')).toMatch(/^Too many requests; try again in a moment\.RATE_LIMITED/);
    expect(await scene.violations()).toEqual([]);
    await scene.picture('failed');
    await allow();
    await scene.page.locator('.state button').click();
    await scene.shows('Websites');
    // the browser reports the status itself, of each request
    expect(scene.errors.splice(0).filter((error) => !error.includes('status of 400'))).toEqual([]);
  });

  it('shows nothing of a foreign organization', async () => {
    await scene.visit('/organizations/org_unknown/websites');
    await scene.shows('Not found');
    expect(await scene.violations()).toEqual([]);
  });

  it('signs out', async () => {
    await scene.visit('/');
    await scene.shows('Websites');
    await scene.page.locator(ACCOUNT).click();
    await scene.page.locator('xpath/.//*[@role="menuitem"][.="Sign out"]').click();
    await scene.shows('Sign in');
    await scene.visit('/');
    await scene.shows('Sign in');
  });

  it('has a sign-in for every screen', async () => {
    await scene.page.evaluate('localStorage.clear()');
    await scene.visit('/sign-in');
    await scene.shows('Sign in');
    expect(await scene.faults('sign-in')).toEqual([]);
  });

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  let scene: ConsoleScene;

  const textOf = async (selector: string) =>
    String(await scene.page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));
  const focused = async () => String(await scene.page.evaluate('document.activeElement.textContent'));
  const background = () =>
    scene.page.evaluate('getComputedStyle(document.body ?? document.documentElement).backgroundColor');
  const lightBackground = async () => {
    await scene.page.evaluate("document.documentElement.dataset.theme = 'light'");
    const light = await background();
    await scene.page.evaluate("document.documentElement.dataset.theme = 'dark'");
    return light;
  };

  beforeAll(async () => {
    scene = await ConsoleScene.open();
  }, 120_000);

  afterAll(() => scene.close());
});
