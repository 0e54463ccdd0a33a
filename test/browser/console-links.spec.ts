import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import type { ConsoleScene } from './console-scene';
import { openTrackedConsole, type TrackedConsole } from './tracked-console';

const MARKUP = '"><img src=x onerror="document.title=`owned`"><b>bold</b>';

describeInChromium('the links of the console', () => {
  it('begins with an explanation', async () => {
    await visit('links');
    await scene.shows('Links');
    await scene.page.waitForSelector('.state');
    expect(await textOf('.state')).toContain('No links yet');
    expect(await scene.violations()).toEqual([]);
  });

  it('shows what is refused at its field', async () => {
    await visit('links/new');
    await scene.shows('New link');
    await fill({ targetUrl: 'ftp://example.com', slug: 'x y' });
    await submit();
    await scene.page.waitForSelector('.field-error');
    expect(await fieldErrors()).toEqual({
      targetUrl: 'Must be an http(s) address.',
      slug: 'Must be 1 to 50 of A–Z, a–z, 0–9, _ and -.',
    });
    expect(await scene.violations()).toEqual([]);
    await scene.picture('links-refused');
    ignoreStatus(400);
  });

  it('creates a link with a preview of its short address', async () => {
    await fill({ targetUrl: `${shop}/spring`, name: 'Spring sale', slug: 'spring' });
    expect(await textOf('.short-address')).toBe(`${track.trackUrl}/spring`);
    await scene.page.waitForSelector('svg.qr');
    await scene.picture('links-new');
    await submit();
    await scene.shows('Spring sale');
    expect(await textOf('.short-address')).toBe(`${track.trackUrl}/spring`);
    await scene.page.waitForSelector('.figures');
    expect(await textOf('.figures')).toContain('Clicks0');
  });

  it('shows the click of one who followed it', async () => {
    const visitor = await scene.browser.newPage();
    await visitor.goto(`${track.trackUrl}/spring`);
    expect(visitor.url()).toBe(`${shop}/spring`);
    await visitor.close();
    await waitUntil(
      async () => {
        await track.catchUp();
        return textOf('.figures');
      },
      (text) => text.includes('Clicks1'),
    );
    expect(await textOf('[aria-label=Browsers]')).toContain('Chrome');
    await scene.page.locator('.view-bar .button').click();
    await scene.page.locator('xpath/.//button[.="Today"]').click();
    await scene.page.waitForFunction('location.search.includes("preset=today")');
    await scene.page.waitForSelector('.chart-plot canvas');
    await scene.page.locator('xpath/.//section[@aria-label="Browsers"]//button[.="Chrome"]').click();
    await scene.page.waitForSelector('.chip');
    expect(await textOf('.chip')).toContain('Browser is Chrome');
    await scene.page.waitForFunction('document.querySelector(".figures")?.textContent.includes("Clicks1new")');
    await scene.page.evaluate('localStorage.clear()');
  });

  it('changes a link, and says which short name is taken', async () => {
    await scene.page.locator('xpath/.//a[.="Edit"]').click();
    await scene.shows('Edit Spring sale');
    await fill({ slug: 'x y', expiresAt: '' });
    await submit();
    await scene.page.waitForSelector('.field-error');
    ignoreStatus(400);
    await fill({ name: MARKUP, slug: 'summer', externalId: MARKUP, ogTitle: MARKUP });
    await submit();
    await scene.page.waitForFunction(`document.querySelector('h1')?.textContent === ${JSON.stringify(MARKUP)}`);
    expect(await textOf('.short-address')).toBe(`${track.trackUrl}/summer`);
    expect(await textOf('.facts')).toContain(MARKUP);
    expect((await fetch(`${track.trackUrl}/spring`, { redirect: 'manual' })).status).toBe(404);
  });

  it('creates pasted lines, and says why one is refused', async () => {
    await visit('links/paste');
    await scene.shows('Paste many links');
    await scene.page.type('textarea', `${shop}/a\n\n${shop}/b taken\njavascript:alert(1)\n${shop}/c ${MARKUP}\n`);
    await submit();
    await scene.page.waitForSelector('tbody');
    const rows = await textsOf('tbody tr');
    expect(rows[0]).toContain(`1${shop}/aCreated${track.trackUrl}/`);
    expect(rows[1]).toContain(`3${shop}/b takenCreated${track.trackUrl}/taken`);
    expect(rows[2]).toBe('4javascript:alert(1)RefusedMust be an http(s) address.');
    expect(rows[3]).toContain('1 to 50');
    expect(await textOf('[role=status] h2')).toBe('2 created, 2 refused');
    await scene.page.locator('xpath/.//button[.="Edit failed lines"]').click();
    expect(await scene.page.evaluate('document.querySelector("textarea").value')).toBe(
      `javascript:alert(1)\n${shop}/c ${MARKUP}`,
    );
    expect(await scene.violations()).toEqual([]);
    await scene.picture('links-paste');
  });

  it('takes a table of another service by the names of its columns', async () => {
    await visit('links/paste');
    await scene.shows('Paste many links');
    const paste = (text: string) => scene.page.type('textarea', text);
    await paste(`https://bit.example/abc,${shop}/d`);
    expect(await textOf('.field-error')).toContain('Line 1 has two addresses');
    await scene.page.locator('textarea').click({ count: 3 });
    await paste(`Short;Long;Title\nhttps://bit.example/abc;"${shop}/d;e?x=1,2";Autumn\n`);
    await submit();
    await scene.page.waitForSelector('tbody');
    expect((await textsOf('tbody tr'))[0]).toContain(`Created${track.trackUrl}/abc`);
    const { headers } = await fetch(`${track.trackUrl}/abc`, { redirect: 'manual' });
    expect(headers.get('location')).toBe(`${shop}/d;e?x=1,2`);
  });

  it('lists links in pages with their clicks, of one request, and finds them by words', async () => {
    await track.catchUp();
    asked.length = 0;
    await visit('links');
    await scene.page.waitForSelector('tbody');
    expect(await textOf('.page-header')).toContain('4 short links');
    await scene.page.waitForFunction('document.querySelector(".sparkline polyline[points*=\\" \\"]")');
    const row = (await textsOf('tbody tr')).find((text) => text.startsWith(MARKUP));
    expect(row).toMatch(/Copy1new1new\w{3} \d+, \d{4}, /);
    expect(asked.splice(0)).toEqual(['/v1/query/overview']);
    await scene.page.type('input[type=search]', 'taken');
    await scene.page.waitForFunction('document.querySelectorAll("tbody tr").length === 1');
    expect(new URL(scene.page.url()).searchParams.get('search')).toBe('taken');
    await visit('links?search=nothing');
    await scene.page.waitForSelector('.state');
    expect(await textOf('.state')).toContain('No link matches');
  });

  it('is found by the switcher', async () => {
    await scene.page.keyboard.down('Control');
    await scene.page.keyboard.press('k');
    await scene.page.keyboard.up('Control');
    await scene.page.waitForSelector('[role=combobox]');
    await scene.page.keyboard.type('taken');
    await scene.page.waitForSelector(`xpath/.//*[@role="option"][contains(., "${track.trackUrl}/taken")]`);
    await scene.page.keyboard.press('Enter');
    await scene.page.waitForSelector('.short-address');
    expect(await textOf('.short-address')).toBe(`${track.trackUrl}/taken`);
  });

  it('takes what people enter as text, everywhere', async () => {
    await visit('links?sort=name');
    await scene.page.waitForSelector('tbody');
    expect(await textOf('tbody')).toContain(MARKUP);
    expect(await scene.page.evaluate('document.querySelectorAll("main :is(img, b)").length')).toBe(0);
    expect(await scene.page.title()).toBe('Links · Ledgerline');
  });

  it('shows what the api refused, and tries it again', async () => {
    const allow = await scene.refuse('/v1/links', { code: 'RATE_LIMITED', error: 'Too many requests' });
    await visit('links');
    await scene.page.waitForSelector('.state.failed');
    expect(await textOf('.state.failed')).toMatch(/^Too many requests; try again in a moment\.RATE_LIMITED/);
    await allow();
    await scene.page.locator('.state.failed button').click();
    await scene.page.waitForSelector('tbody');
    ignoreStatus(400);
  });

  it('loads many links while the page is scrolled, and holds those near the visible ones', async () => {
    const links = Array.from({ length: 250 }, (_, n) => ({ name: `Many ${n}`, targetUrl: `${shop}/many/${n}` }));
    await scene.page.evaluate(`fetch('/v1/links/bulk', {
      method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify(${JSON.stringify({ organizationId: scene.owner.organizationId, links })}),
    }).then((answer) => answer.text())`);
    await track.catchUp();
    await visit('links?search=many&sort=createdAt');
    await shows('Many 0');
    await scene.page.waitForFunction(
      'scrollTo(0, document.documentElement.scrollHeight) || document.querySelector("tbody a[title=\'Many 249\']")',
    );
    expect(await scene.page.evaluate('document.querySelectorAll("tbody tr").length')).toBeLessThan(100);
    await scene.page.evaluate('scrollTo(0, 0)');
    await shows('Many 0');
  });

  it.each([
    ['links', 'Links', 'tbody'],
    ['links/new', 'New link', 'form'],
    ['links/paste', 'Paste many links', 'form'],
    ['links/{link}', undefined, '.figures'],
  ])('/%s fits every screen', async (path, heading, ready) => {
    await follow(path.replace('{link}', await idOf(MARKUP)));
    if (heading !== undefined) await scene.shows(heading);
    await scene.page.waitForSelector(ready);
    expect(await scene.faults(path.replace(/\W+/g, '-'))).toEqual([]);
  });

  it('deletes a link once it is confirmed', async () => {
    await scene.page.locator('xpath/.//button[.="Delete"]').click();
    await scene.page.waitForSelector('dialog[open]');
    expect(await scene.violations()).toEqual([]);
    await scene.picture('links-delete');
    await scene.page.locator('dialog .danger').click();
    await scene.shows('Links');
    expect((await fetch(`${track.trackUrl}/summer`, { redirect: 'manual' })).status).toBe(404);
  });

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  /** Paths of requests for figures. */
  const asked: string[] = [];
  let track: TrackedConsole;
  let scene: ConsoleScene;
  let server: Server;
  let shop: string;

  const visit = (path: string) => scene.visit(`/organizations/${scene.owner.organizationId}/${path}`);
  const follow = (path: string) => scene.follow(`/organizations/${scene.owner.organizationId}/${path}`);
  const submit = () => scene.page.locator('main button[type=submit]').click();
  const textOf = async (selector: string) => (await textsOf(selector))[0] ?? '';
  const textsOf = (selector: string) =>
    scene.page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent)`,
    ) as Promise<string[]>;
  /** Until a row with this name is in the page. */
  const shows = (name: string) => scene.page.waitForSelector(`tbody a[title=${JSON.stringify(name)}]`);
  /** The browser reports the status of each refused request itself. */
  const ignoreStatus = (status: number) =>
    expect(scene.errors.splice(0).filter((error) => !error.includes(`status of ${status}`))).toEqual([]);
  const fieldErrors = () =>
    scene.page.evaluate(
      'Object.fromEntries([...document.querySelectorAll("[aria-invalid=true]")].map((control) => [control.name, document.getElementById(control.getAttribute("aria-describedby").split(" ").pop()).textContent]))',
    );
  const idOf = async (name: string) =>
    String(
      await scene.page.evaluate(
        `fetch('/v1/links?sort=name&organizationId=${scene.owner.organizationId}').then((answer) => answer.json()).then(({ data }) => data.find(({ name }) => name === ${JSON.stringify(name)}).id)`,
      ),
    );
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
    server = createServer((_, reply) => reply.end('the shop')).listen(0, '127.0.0.1');
    track = await openTrackedConsole();
    scene = track.scene;
    scene.page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v1/query')) asked.push(pathname);
    });
    shop = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await visit('links');
    await scene.signIn();
    await scene.shows('Links');
  }, 120_000);

  afterAll(async () => {
    await track.close();
    server.close();
  });
});
