import type { Browser, Page } from 'puppeteer-core';
import { StatusScene } from '../monitors/status-scene';
import { describeInChromium, openChromium } from './chromium';

/** A folder for pictures of the pages. */
const PICTURES = process.env['PICTURES'];

describeInChromium('a status page in a browser', () => {
  it.each([
    [360, 'light'],
    [360, 'dark'],
    [1_280, 'light'],
    [1_280, 'dark'],
  ])('fits a screen of %i px in %s colours', async (width, colours) => {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
    await page.goto(address);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await page.evaluate('document.querySelectorAll(".days li").length')).toBe(3 * 90);
    // each day has a bar that can be seen
    const widths =
      'Math.min(...[...document.querySelectorAll(".days li")].map((bar) => bar.getBoundingClientRect().width))';
    expect(await page.evaluate(widths)).toBeGreaterThanOrEqual(1);
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/status-${width}-${colours}.png`, fullPage: true });
  });

  it('needs no scripts, and gives screen readers a text for each day', async () => {
    await page.setJavaScriptEnabled(false);
    await page.goto(address);
    const tree = JSON.stringify(await page.accessibility.snapshot({ interestingOnly: false }));
    expect(tree).toContain('Uptime of Checkout by day');
    expect(tree.match(/\d{4}-\d\d-\d\d: (no data|[\d.]+ %)/g)?.length).toBeGreaterThanOrEqual(3 * 90);
    await page.setJavaScriptEnabled(true);
  });

  it('is printed with its bars', async () => {
    await page.goto(address);
    await page.emulateMediaType('print');
    const adjust = 'getComputedStyle(document.querySelector(".days li")).printColorAdjust';
    expect(await page.evaluate(adjust)).toBe('exact');
    if (PICTURES) await page.pdf({ path: `${PICTURES}/status.pdf` });
    await page.emulateMediaType('screen');
  });

  it('shows its badge as an image', async () => {
    const [width, height] = (await page
      .evaluate(`new Promise((resolve, reject) => {
      const image = new Image();
      image.onload = () => resolve([image.naturalWidth, image.naturalHeight]);
      image.onerror = () => reject(new Error('no image'));
      image.src = ${JSON.stringify(`${address}/badge.svg`)};
    })`)
      .catch(() => [0, 0])) as [number, number];
    // the policy of the page itself lets it load nothing
    expect([width, height]).toEqual([0, 0]);
    await page.goto(`${address}/badge.svg`);
    expect(await page.evaluate('document.documentElement.getAttribute("aria-label")')).toBe('status: degraded');
    if (PICTURES)
      await page.screenshot({ path: `${PICTURES}/badge.png`, clip: { x: 0, y: 0, width: 200, height: 40 } });
  });

  let scene: StatusScene;
  let browser: Browser | undefined;
  let page: Page;
  let address: string;

  beforeAll(async () => {
    scene = await StatusScene.open();
    const names = ['Checkout', 'A service with a long name that goes on and on, as names do', 'Mail'];
    const monitors = await Promise.all(names.map((name) => scene.monitor(name)));
    await scene.checks(monitors[0]!, 80 * 24, (ago) => ago % 500 < 3 && ago > 20);
    await scene.checks(monitors[1]!, 40 * 24, (ago) => ago % 211 === 0 && ago > 0);
    await scene.checks(monitors[2]!, 60 * 24, (ago) => ago < 3);
    const { id, slug } = await scene.page(monitors, { description: 'Orders, mails and the rest.' });
    await scene.incident(id, { title: 'Mails are late', message: 'Our provider has problems.\nWe wait for them.' });
    const hour = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString();
    const planned = { title: 'New disks', severity: 'maintenance', startsAt: hour(24), endsAt: hour(26) };
    await scene.incident(id, { ...planned, message: 'The shop is closed for two hours.' });
    address = `${(await scene.api.app.getUrl()).replace('[::1]', '127.0.0.1')}/status/${slug}`;
    browser = await openChromium();
    page = await browser.newPage();
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await scene.close();
  });
});
