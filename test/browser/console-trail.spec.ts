import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { EVENT_STORE } from '../../apps/api/src/tokens';
import { BROWSER } from '../../scripts/supervisor/screen';
import { ask } from '../api/ask';
import { colleague } from '../api/people';
import { appended, event } from '../event-store/laws/harness';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import type { ConsoleScene } from './console-scene';
import { openTrackedConsole, type TrackedConsole } from './tracked-console';

const MARKUP = '"><img src=x onerror="document.title=`owned`"><b>bold</b>';

/** The choices whose label is not beside their box, or whose explanation does not begin below the label. */
const GAPS = `[...document.querySelectorAll('.choice')].flatMap((choice) => {
  const [box, label, hint = label] = [...choice.children].map((each) => each.getBoundingClientRect());
  return label.left - box.right > 24 || Math.abs(hint.left - label.left) > 1 ? [choice.textContent] : [];
})`;

describeInChromium('keys and audit log in the console', () => {
  it('waits for the first event of a website, and says when it has come', async () => {
    await visit(`websites/${scene.owner.websiteId}/install`);
    await scene.page.waitForSelector('.waiting');
    expect(await textOf('.code-block code')).toBe(
      `<script defer src="${track.trackUrl}/tracker.js" data-website-id="${scene.owner.websiteId}"></script>`,
    );
    await scene.page.locator('::-p-aria(Single-page app[role="tab"])').click();
    await shown('.code-block code', 'data-hash');
    await fetch(`${track.trackUrl}/batch?client_id=${scene.owner.websiteId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': BROWSER, origin: 'https://example.com' },
      body: JSON.stringify([{ name: 'screen_view', path: '/' }]),
    });
    await shown('.first-event', 'The first event has arrived');
    await scene.page.locator('.first-event a').click();
    await scene.shows('Shop');
  });

  it('shows what is refused of a key at its field', async () => {
    await visit('api-keys/new');
    await scene.shows('New API key');
    await scene.page.type('[name=name]', 'x'.repeat(101));
    await scene.page.locator('main button[type=submit]').click();
    await shown('.field-error', 'Must have at most 100 characters.');
    expect(await scene.violations()).toEqual([]);
    expect(scene.errors.splice(0).filter((error) => !error.includes('status of 400'))).toEqual([]);
  });

  it('creates a key and shows its secret once', async () => {
    await visit('api-keys/new');
    await scene.shows('New API key');
    await scene.page.type('[name=name]', MARKUP);
    expect(await scene.page.evaluate(GAPS)).toEqual([]);
    await scene.page.locator('main button[type=submit]').click();
    await scene.page.waitForSelector('dialog[open]');
    secret = await textOf('dialog code');
    expect(secret).toMatch(/^svc_\w{20,}$/);
    expect(await scene.violations()).toEqual([]);
    await scene.picture('keys-secret');
    await scene.page.keyboard.press('Escape');
    expect(await textOf('dialog[open] h2')).toBe(`The secret of ${MARKUP}`);
    expect(await use(secret)).toBe(200);
    await scene.page.locator('dialog .primary').click();
    await scene.shows('API keys');
    expect(await textOf('tbody')).toContain(secret.slice(0, 8));
    expect(await scene.page.evaluate('document.documentElement.outerHTML')).not.toContain(secret);
  });

  it('gives a key another secret, and disables it', async () => {
    await choose('Rotate');
    await scene.page.waitForSelector('dialog .danger');
    await scene.page.locator('dialog .danger').click();
    await scene.page.waitForSelector('dialog code');
    const next = await textOf('dialog code');
    await scene.page.locator('dialog .primary').click();
    expect([await use(secret), await use(next)]).toEqual([401, 200]);
    secret = next;
    await choose('Disable');
    await shown('tbody', 'Disabled');
    expect(await use(secret)).toBe(401);
    await choose('Enable');
    await shown('tbody', 'Active');
    expect(await use(secret)).toBe(200);
  });

  it('limits a key to a website', async () => {
    await choose('Edit');
    await shown('h1', `Edit ${MARKUP}`);
    await scene.page.locator('xpath/.//label[.="Only these websites"]').click();
    await scene.page.locator('xpath/.//label[.="Shop (example.com)"]').click();
    await scene.page.locator('xpath/.//label[.="Everything of the organization"]').click(); // and back: the website stays ticked
    await scene.page.locator('xpath/.//label[.="Only these websites"]').click();
    await scene.page.locator('xpath/.//label[starts-with(., "Send events")]').click();
    expect(await textsOf(':checked[type=checkbox] + label')).toEqual([
      'Read (read:data)',
      'Send events (track:events)',
      'Shop (example.com)',
    ]);
    await scene.picture('keys-edit');
    await scene.page.locator('main button[type=submit]').click();
    await scene.shows('API keys');
    await shown('tbody', 'Read, Send events');
    const links = `GET /v1/links?organizationId=${scene.owner.organizationId}` as const;
    const { status } = await ask(scene.api, links, { headers: { 'x-api-key': secret } });
    expect(status).toBe(403);
  });

  it('revokes a key once it is confirmed', async () => {
    await choose('Revoke');
    await scene.page.waitForSelector('dialog[open]');
    expect(await scene.violations()).toEqual([]);
    await scene.picture('keys-revoke');
    await scene.page.locator('dialog .danger').click();
    await shown('tbody', 'Revoked');
    expect(await use(secret)).toBe(401);
    expect(await scene.page.evaluate('document.querySelectorAll("main :is(img, b)").length')).toBe(0);
  });

  it('shows what was before and after, as text', async () => {
    const { websiteId, headers } = scene.owner;
    await ask(scene.api, `PATCH /v1/websites/${websiteId}`, { body: { name: MARKUP }, headers });
    await visit(`audit?targetType=website`);
    await scene.page.waitForSelector('.trail');
    expect(await textOf('.trail li')).toContain(`Ada changed a website “${MARKUP}”nameSealed`);
    await scene.page.locator('.trail summary').click();
    await scene.page.waitForSelector('.changes');
    expect(await textsOf('.changes tbody tr :is(th, td)')).toEqual(['name', 'Shop', MARKUP]);
    expect(await scene.page.evaluate('document.querySelectorAll("main :is(img, b)").length')).toBe(0);
    expect(await scene.page.title()).toBe('Audit log · Ledgerline');
  });

  it('narrows the log, in its address', async () => {
    await scene.page.locator('xpath/.//a[.="Only the history of this"]').click();
    await scene.page.waitForFunction('new URLSearchParams(location.search).has("targetId")');
    await scene.page.waitForFunction('document.querySelectorAll(".trail li").length === 2');
    await visit('audit?action=api_key.revoked');
    await scene.page.waitForSelector('.trail');
    expect(await textsOf('.trail-what')).toEqual([`Ada revoked an API key “${MARKUP}”`]);
    await scene.page.locator('xpath/.//button[.="Clear the filters"]').click();
    await scene.page.waitForFunction('document.querySelectorAll(".trail li").length > 5');
    await visit('audit?lastDay=2020-01-01');
    await shown('.state', 'Nothing matches');
  });

  it('verifies the log, and hands out its signed head', async () => {
    await visit('audit');
    await scene.shows('Audit log');
    await scene.page.locator('xpath/.//button[.="Verify now"]').click();
    await shown('.verdict', 'Intact.');
    expect(await textOf('.verdict')).toMatch(/\d+ events verified, places 0 to \d+/);
    expect(await textOf('.panel .facts')).toMatch(/Head \(place \d+\)[0-9a-f]{64}/);
    await scene.page.locator('.panel > .more summary').click();
    expect(await scene.violations()).toEqual([]);
    await scene.picture('audit-verified');
  });

  it('exports what is shown', async () => {
    const address = await scene.page.evaluate('document.querySelector("a[download]").href');
    const text = await scene.page.evaluate(`fetch(${JSON.stringify(address)}).then((answer) => answer.text())`);
    expect(String(text)).toMatch(/^\{"format":"ledgerline-audit-log\/1"/);
  });

  it.each([
    ['websites/{website}/install', 'Install on', '.first-event'],
    ['api-keys', 'API keys', 'tbody'],
    ['api-keys/new', 'New API key', 'form'],
    ['audit', 'Audit log', '.trail'],
  ])('/%s fits every screen', async (path, heading, ready) => {
    await scene.follow(
      `/organizations/${scene.owner.organizationId}/${path.replace('{website}', scene.owner.websiteId)}`,
    );
    await shown('h1', heading);
    await scene.page.waitForSelector(ready);
    if (path === 'audit') await scene.page.locator('.trail summary').click();
    expect(await scene.faults(path.replace(/.*\//, ''))).toEqual([]);
  });

  it('names the first place of a log that is not intact', async () => {
    await visit('audit');
    await scene.shows('Audit log');
    const pool = openPool({ url: scene.api.settings.databaseUrl, name: 'spec', max: 1 });
    const forge = `update events set data = '{"forged":true}' where organization = $1 and chain_revision = 1`;
    await pool.query(forge, [scene.owner.organizationId]);
    await pool.end();
    await scene.page.locator('xpath/.//button[.="Verify now"]').click();
    await shown('.notice.danger', 'Not intact. Place 1 was changed');
    await shown('.trail li:nth-last-child(2)', 'Unproven');
    expect(await scene.violations()).toEqual([]);
    await scene.picture('audit-not-intact');
  });

  it('shows how far the verification is', async () => {
    const store = scene.api.app.get<EventStore>(EVENT_STORE);
    const more = Array.from({ length: 600 }, (_, n) => event({ n }));
    await appended(store, `${scene.owner.organizationId}-note-1`, 'no-stream', more);
    await waitUntil(
      () => scene.api.app.get(HeadSigner).signedHead(scene.owner.organizationId),
      (head) => (head?.revision ?? 0) >= more.length,
    );
    const readBack = store.readBack.bind(store);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const held = jest.spyOn(store, 'readBack').mockImplementation(async (page) => {
      if (page.before !== undefined) await released;
      return readBack(page);
    });
    await scene.page.locator('xpath/.//button[starts-with(., "Verify")]').click();
    await shown('.verifying', 'Recomputed the hashes of 500 of ');
    const position = Number(await scene.page.evaluate('document.querySelector("progress").position'));
    expect(position).toBeGreaterThan(0.7);
    expect(position).toBeLessThan(500 / 600);
    expect(await scene.violations()).toEqual([]);
    await scene.picture('audit-verifying');
    release();
    await shown('.notice.danger', 'Not intact. Place 1 was changed');
    held.mockRestore();
  });

  it('refuses members', async () => {
    const member = await colleague(scene.api, scene.owner, 'member');
    await scene.browser.deleteCookie(...(await scene.browser.cookies()));
    await visit('audit');
    await scene.page.waitForSelector('[name=email]');
    await scene.page.type('[name=email]', member.email);
    await scene.page.type('[name=password]', 'correct horse battery');
    await scene.page.locator('button[type=submit]').click();
    await shown('.state', 'This needs “admin” of the organization');
    expect(scene.errors.splice(0).filter((error) => !error.includes('status of 403'))).toEqual([]);
  });

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  let track: TrackedConsole;
  let scene: ConsoleScene;
  /** The secret of the key. */
  let secret: string;

  const visit = (path: string) => scene.visit(`/organizations/${scene.owner.organizationId}/${path}`);
  const textOf = async (selector: string) => (await textsOf(selector))[0] ?? '';
  const textsOf = (selector: string) =>
    scene.page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.textContent)`,
    ) as Promise<string[]>;
  /** Until an element shows a text; what was sent is projected meanwhile. */
  const shown = (selector: string, text: string) =>
    waitUntil(
      async () => {
        await track.catchUp();
        return textOf(selector);
      },
      (found) => found.includes(text),
    );
  /** Chooses an action of the only key. */
  const choose = async (action: string) => {
    await scene.page.waitForSelector('tbody .menu-button');
    await scene.page.locator('tbody .menu-button').click();
    await scene.page.waitForSelector('[role=menu]');
    await scene.page.locator(`xpath/.//*[@role="menuitem"][.="${action}"]`).click();
  };
  const use = async (key: string) =>
    (await ask(scene.api, 'GET /v1/query/websites', { headers: { 'x-api-key': key } })).status;

  beforeAll(async () => {
    track = await openTrackedConsole();
    scene = track.scene;
    await scene.api.signHeads();
    await visit('api-keys');
    await scene.signIn();
    await scene.shows('API keys');
  }, 120_000);

  afterAll(() => track.close());
});
