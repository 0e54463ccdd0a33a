import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'puppeteer-core';
import { BROWSER } from '../../scripts/supervisor/screen';
import { ask } from '../api/ask';
import { overflowOf, violationsIn } from './accessibility';
import { describeInChromium } from './chromium';
import { SCREENS } from './screens';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const VIEW = `?from=${SHOP_DAY}&to=${SHOP_DAY}`;

/** A text that would run if any were taken for markup, each part of it in a way that browsers repair. */
const HOSTILE = `"'><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;

describeInChromium('sharing', () => {
  it('is set up in the settings of a website', async () => {
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
    await scene.visit('/settings');
    const { page } = scene.console;
    await page.waitForSelector('xpath/.//p[.="Not shared yet."]');
    await page.locator('xpath/.//a[.="New share"]').click();
    await scene.console.shows('New share');
    expect(await scene.console.faults('new-share')).toEqual([]);
    await scene.console.as(1280, 'light');
    await page.locator('xpath/.//button[contains(., "Filter +")]').click();
    await page.waitForSelector('select[name=field]');
    await page.select('select[name=field]', 'browser_name');
    await page.type('input[name=value]', 'Firefox');
    await page.locator('.popover button[type=submit]').click();
    await page.waitForSelector('.chip');
    await page.type('input[name=name]', 'The board');
    for (const panel of ['events', 'outgoing']) await page.locator(`input[name=${panel}]`).click();
    await page.locator('xpath/.//button[.="Create the share"]').click();
    await scene.console.shows('Share for The board');
    address = (await page.evaluate('document.querySelector(".code-block code").textContent')) as string;
    expect(address).toMatch(/\/share\/[\w-]{56}$/);
    expect(await scene.console.faults('share')).toEqual([]);
    await scene.visit('/settings');
    await page.waitForSelector('xpath/.//th[contains(., "The board")][contains(., "Browser is Firefox")]');
    expect(await scene.console.faults('shares')).toEqual([]);
  });

  it('shows the dashboard to who has the address: its lists and filters, and no way to other pages', async () => {
    await viewer.goto(`${address}${VIEW}`);
    await viewer.waitForSelector('section[aria-label=Browsers] tbody tr');
    expect(await viewer.title()).toBe('Shop · Ledgerline');
    expect(await textsOf('section[aria-label=Browsers] tbody tr')).toEqual([expect.stringMatching(/^Firefox17/)]);
    expect(await textsOf('.query-panels > section > header h2')).toEqual(['Pages', 'Sources', 'Countries', 'Browsers']);
    expect(await textsOf('.chip')).toEqual(['Browser is Firefox']);
    expect(await viewer.$$('a, .chip button')).toEqual([]);
    expect(await options('Pages')).toEqual(['Pages', 'Entry pages', 'Exit pages']);
    expect(await options('Sources')).not.toContain('UTM terms');
    await viewer.locator('xpath/.//section[@aria-label="Pages"]//button[.="/checkout"]').click();
    await viewer.waitForFunction('document.querySelectorAll(".chip").length === 2');
    expect(await textsOf('.chip')).toEqual([
      'Browser is Firefox',
      'Page is /checkoutor something else than Page is /checkout≠×',
    ]);
    await viewer.reload();
    await viewer.waitForFunction('document.querySelectorAll(".chip").length === 2');
    expect(errors).toEqual([]);
  });

  it('has the frame of other pages, and the colours that a person chooses', async () => {
    const background = () => viewer.evaluate('getComputedStyle(document.body).backgroundColor');
    await viewer.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    await viewer.goto(`${address}${VIEW}`);
    await viewer.waitForSelector('.top .brand');
    const light = await background();
    await viewer.locator('::-p-aria([name="Theme"][role="button"])').click();
    await viewer.locator('::-p-aria([name="Dark"][role="menuitemradio"])').click();
    await viewer.waitForSelector('html[data-theme=dark]');
    const dark = await background();
    expect(dark).not.toBe(light);
    await viewer.reload();
    await viewer.waitForSelector('.top .brand');
    expect(await background()).toBe(dark);
    await viewer.evaluate('localStorage.clear()');
    expect(errors).toEqual([]);
  });

  it('fits every screen', async () => {
    const faults: string[] = [];
    await viewer.goto(`${address}${VIEW}`);
    await viewer.waitForSelector('section[aria-label=Browsers] tbody tr');
    for (const [width, colours] of SCREENS) {
      await viewer.setViewport({ width, height: 900 });
      await viewer.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
      faults.push(...(await violationsIn(viewer)));
      if ((await overflowOf(viewer)) !== 0) faults.push(`wider than ${width} px`);
      const pictures = process.env['PICTURES'];
      if (pictures) await viewer.screenshot({ path: `${pictures}/shared-${width}-${colours}.png`, fullPage: true });
    }
    expect(faults).toEqual([]);
  });

  it('shows what visitors have sent as it is, and runs none of it', async () => {
    const visitor = { userAgent: BROWSER, address: '203.0.113.77' };
    const utm = (part: string) => `utm_${part}=${encodeURIComponent(`${part}${HOSTILE}`)}`;
    await scene.send('/batch', visitor, [
      {
        name: 'screen_view',
        path: `/path${HOSTILE}?${utm('source')}&${utm('campaign')}&${utm('medium')}`,
        title: `title${HOSTILE}`,
        referrer: `https://evil.example/${HOSTILE}`,
        language: 'de-DE',
      },
      { name: `event${HOSTILE}`, path: `/path${HOSTILE}`, properties: { [`key${HOSTILE}`]: HOSTILE } },
      { name: 'outgoing_link', href: `https://evil.example/${HOSTILE}`, text: `text${HOSTILE}`, path: '/' },
    ]);
    await scene.project();
    const all = await share({ name: `name${HOSTILE}` });
    const lists: Readonly<Record<string, readonly string[]>> = {
      pages: ['top_pages', 'entry_pages', 'exit_pages'],
      sources: ['traffic_sources', 'channels', 'utm_campaigns', 'utm_sources', 'utm_mediums'],
      events: ['custom_events', 'custom_events_by_path'],
      outgoing: ['outbound_links', 'outbound_domains'],
    };
    const seen = new Set<string>();
    for (const [panel, types] of Object.entries(lists))
      for (const type of types) {
        await viewer.goto(`${all}?preset=today&${panel}=${type}`);
        await viewer.waitForFunction(
          'document.querySelectorAll("tbody tr").length > 0 && !document.querySelector(".skeleton")',
        );
        for (const text of await textsOf('tbody th, h1, .page-header')) if (text.includes('onerror')) seen.add(text);
        expect(
          await viewer.evaluate(
            '[typeof window.hacked, document.querySelectorAll("main img[src=x], main script").length]',
          ),
        ).toEqual(['undefined', 0]);
      }
    for (const part of ['/path', 'source', 'campaign', 'medium', 'event'])
      expect([part, [...seen].some((text) => text.startsWith(part))]).toEqual([part, true]);
    expect([...seen].some((text) => text.includes(`name${HOSTILE}`))).toBe(true);
    expect(errors).toEqual([]);
  });

  it('asks for a password, and says what is wrong with it', async () => {
    const locked = await share({ password: 'correct horse battery' });
    await viewer.goto(`${locked}${VIEW}`);
    await viewer.waitForSelector('input[name=password]');
    expect(await violationsIn(viewer)).toEqual([]);
    await viewer.type('input[name=password]', 'wrong');
    await viewer.locator('button[type=submit]').click();
    await viewer.waitForSelector('.field-error');
    expect(await textsOf('.field-error')).toEqual(['Is not the password.']);
    await viewer.evaluate('document.querySelector("input[name=password]").value = ""');
    await viewer.type('input[name=password]', 'correct horse battery');
    await viewer.locator('button[type=submit]').click();
    await viewer.waitForSelector('section[aria-label=Pages] tbody tr');
    await viewer.reload();
    await viewer.waitForSelector('section[aria-label=Pages] tbody tr');
    errors.length = 0; // the browser reports the refusal
  });

  it('is a part of other pages with `embed`, and of none without it', async () => {
    const shown = await share({});
    const { port } = site.address() as AddressInfo;
    framed = `${shown}?embed`;
    await viewer.goto(`http://localhost:${port}/`);
    const frame = await (await viewer.waitForSelector('iframe'))!.contentFrame();
    await frame.waitForSelector('.shared.embedded section[aria-label=Overview]');
    expect(await frame.$$('.top')).toHaveLength(0);
    expect(errors).toEqual([]);
    framed = shown;
    await viewer.goto(`http://localhost:${port}/`);
    const refused = await (await viewer.waitForSelector('iframe'))!.contentFrame();
    expect(await refused.$$('.shared')).toHaveLength(0);
    expect(errors.join()).toContain('frame-ancestors');
    errors.length = 0;
  });

  it('ends when it is revoked in the settings', async () => {
    const { page } = scene.console;
    await scene.visit('/settings');
    for (const button of ['button[@aria-label="Revoke the share for The board"]', 'dialog//button[.="Revoke"]'])
      await page.locator(`xpath/.//${button}`).click();
    await page.waitForFunction(
      `![...document.querySelectorAll('tbody th')].some((row) => row.textContent.includes('The board'))`,
    );
    await viewer.goto(address);
    await viewer.waitForSelector('xpath/.//h1[.="Not shared"]');
    expect(await violationsIn(viewer)).toEqual([]);
    errors.length = 0; // the browser reports the status
  });

  const textsOf = async (selector: string) =>
    (await viewer.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ textContent }) => textContent)`,
    )) as string[];

  const options = (panel: string): Promise<string[]> => textsOf(`section[aria-label=${panel}] select option`);

  /** The address of a new share of the website. */
  async function share(settings: object): Promise<string> {
    const { organizationId, websiteId, headers } = scene.console.owner;
    const body = { organizationId, websiteId, name: 'Everybody', ...settings };
    return (await ask(scene.console.api, 'POST /v1/shares', { body, headers })).body.url as string;
  }

  let scene: WebsiteScene;
  /** Somebody else's browser. */
  let context: BrowserContext;
  let viewer: Page;
  let address: string;
  const errors: string[] = [];
  /** A page of another site, with a frame. */
  let site: Server;
  let framed = '';

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    await sendShopVisits(scene);
    await scene.project();
    context = await scene.console.browser.createBrowserContext();
    viewer = await context.newPage();
    viewer.on('console', (message) => void (['error', 'warn'].includes(message.type()) && errors.push(message.text())));
    viewer.on('pageerror', (error) => errors.push(String(error)));
    viewer.on('dialog', (dialog) => {
      errors.push(`A dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    site = createServer((_, reply) =>
      reply
        .setHeader('content-type', 'text/html')
        .end(
          `<!doctype html><title>Site</title><link rel="icon" href="data:," /><iframe src="${framed}" width="900" height="600"></iframe>`,
        ),
    ).listen(0, '127.0.0.1');
  });

  afterAll(async () => {
    site.close();
    await scene.close();
  });
});
