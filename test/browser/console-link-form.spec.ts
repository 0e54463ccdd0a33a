import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PreviewPageHandler } from '../../apps/api/src/links/page-preview.query';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import type { ConsoleScene } from './console-scene';
import { openTrackedConsole, type TrackedConsole } from './tracked-console';

describeInChromium('the form of a link', () => {
  it('takes an address as it is pasted, with a campaign, and calls the link as its page', async () => {
    await scene.visit(`/organizations/${scene.owner.organizationId}/links/new`);
    await scene.shows('New link');
    await fill({ targetUrl: 'shop.example/spring' });
    await scene.page.focus('main [name=name]');
    expect(await valueOf('targetUrl')).toBe('https://shop.example/spring');
    await fill({ targetUrl: `${shop}/named?x=1#top` });
    await scene.page.waitForFunction('document.querySelector(".chat-card")?.textContent.includes("The shop & more")');
    expect(await textOf('.chat-card')).toContain('All of it');
    await scene.page.locator('xpath/.//summary[starts-with(., "Campaign")]').click();
    await type('Source', 'mail');
    await type('Campaign', 'spring sale');
    expect(await valueOf('targetUrl')).toBe(`${shop}/named?x=1&utm_source=mail&utm_campaign=spring+sale#top`);
    await fill({ slug: 'named', ogTitle: 'Look' });
    const card = `In a chat${new URL(track.trackUrl).host}LookAll of it`;
    await scene.page.waitForFunction(`document.querySelector('.chat-card').textContent === ${JSON.stringify(card)}`);
    expect(await scene.faults('links-form')).toEqual([]);
    await submit();
    await scene.shows('The shop & more');
    expect(await textOf('.facts')).toContain(`${shop}/named?x=1&utm_source=mail&utm_campaign=spring+sale#top`);
  });

  it('draws a QR code in a colour, and saves it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ledgerline-qr-'));
    const cdp = await scene.page.createCDPSession();
    await cdp.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
    await scene.page.evaluate(`{
      const input = document.querySelector('input[type=color]');
      input.value = '#ffee00';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    await scene.page.waitForFunction('document.querySelector(".qr path").getAttribute("fill") === "#ffee00"');
    expect(await textOf('main')).toContain('Too light for many cameras');
    for (const kind of ['SVG', 'PNG']) await scene.page.locator(`xpath/.//button[.="Save as ${kind}"]`).click();
    const file = (name: string) =>
      waitUntil(
        () => (existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : Buffer.alloc(0)),
        ({ length }) => length > 0,
      );
    expect((await file('named.svg')).toString()).toMatch(/^<svg xmlns.*fill="#ffee00"\/><\/svg>$/);
    expect((await file('named.png')).subarray(1, 4).toString()).toBe('PNG');
    rmSync(folder, { recursive: true });
  });

  it('begins a link as a copy of another one', async () => {
    await scene.page.locator('xpath/.//a[.="Duplicate"]').click();
    await scene.shows('Copy of The shop & more');
    expect([await valueOf('name'), await valueOf('slug')]).toEqual(['The shop & more (copy)', '']);
    expect(await valueOf('ogTitle')).toBe('Look');
    await submit();
    await scene.shows('The shop & more (copy)');
    expect(await textOf('.facts')).toContain('Look');
  });

  it('offers the campaigns of other links', async () => {
    await track.catchUp();
    await scene.visit(`/organizations/${scene.owner.organizationId}/links/new`);
    await scene.shows('New link');
    await fill({ targetUrl: `${shop}/again?utm_term=old` });
    await scene.page.locator('xpath/.//summary[starts-with(., "Campaign")]').click();
    await scene.page.locator('xpath/.//button[.="mail / spring sale"]').click();
    const expected = `${shop}/again?utm_source=mail&utm_campaign=spring+sale`;
    await scene.page.waitForFunction(
      `document.querySelector('main [name=targetUrl]').value === ${JSON.stringify(expected)}`,
    );
    expect(await scene.faults('links-campaigns')).toEqual([]);
  });

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  let track: TrackedConsole;
  let scene: ConsoleScene;
  let server: Server;
  let shop: string;

  const submit = () => scene.page.locator('main button[type=submit]').click();
  const textOf = async (selector: string) =>
    String(await scene.page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`));
  const valueOf = (name: string) => scene.page.evaluate(`document.querySelector('main [name=${name}]').value`);
  const type = (label: string, text: string) => scene.page.type(`xpath/.//main//*[label[.="${label}"]]/input`, text);
  /** Replaces what the fields hold. */
  const fill = async (texts: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(texts)) {
      await scene.page.evaluate(`{
        const field = document.querySelector('main [name=${name}]');
        field.closest('details')?.setAttribute('open', '');
        field.focus();
        field.select?.();
      }`);
      await scene.page.keyboard.press('Backspace');
      await scene.page.type(`main [name=${name}]`, text);
    }
  };

  beforeAll(async () => {
    server = createServer((_, reply) => {
      reply.setHeader('content-type', 'text/html');
      reply.end('<title>The shop &amp; more</title><meta name="description" content="All of it">');
    }).listen(0, '127.0.0.1');
    track = await openTrackedConsole();
    scene = track.scene;
    scene.api.app.get(PreviewPageHandler).guard = { http: true, allows: (address) => address === '127.0.0.1' };
    shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await scene.as(1_280, 'light');
    await scene.visit(`/organizations/${scene.owner.organizationId}/links`);
    await scene.signIn();
    await scene.shows('Links');
  }, 120_000);

  afterAll(async () => {
    await track.close();
    server.close();
  });
});
