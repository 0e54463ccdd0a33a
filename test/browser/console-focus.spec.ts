import { ask } from '../api/ask';
import { colleague } from '../api/people';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import type { ConsoleScene } from './console-scene';
import { Person } from './person';
import { openTrackedConsole, type TrackedConsole } from './tracked-console';

describeInChromium('the focus in the console', () => {
  it('goes to the next invitation when one is revoked, and to the heading when none is left', async () => {
    for (const name of ['ada', 'bob', 'cyd'])
      await create('invitations', { email: `${name}@example.org`, role: 'member' });
    await open('members');
    const revoke = async (name: string) => {
      await focusOn(`Revoke the invitation of ${name}@example.org`);
      await scene.page.keyboard.press('Enter');
      await scene.page.locator('dialog[open] .danger').click();
    };
    await revoke('ada');
    await has('Revoke the invitation of bob@example.org');
    await revoke('cyd');
    await has('Revoke the invitation of bob@example.org');
    await revoke('bob');
    await has('Invitations');
  });

  it('goes to the button of the next member when one is removed', async () => {
    for (let each = 0; each < 2; each++) await colleague(scene.api, scene.owner, 'member');
    await open('members');
    const removals = '[aria-label^="Remove "]';
    await scene.page.waitForSelector(removals);
    await scene.page.focus(removals);
    await scene.page.keyboard.press('Enter');
    await scene.page.locator('dialog[open] .danger').click();
    await waitUntil(
      () => scene.page.evaluate('document.querySelectorAll(\'[aria-label^="Remove "]\').length'),
      (count) => count === 1,
    );
    await waitUntil(focused, (label) => label.startsWith('Remove '));
  });

  it('goes to the next key when one is deleted, and to the way to a new one when none is left', async () => {
    for (const name of ['One', 'Two', 'Three']) await create('api-keys', { name, scopes: ['read:data'] });
    await open('api-keys');
    const remove = async (name: string, how: 'Revoke' | 'Delete') => {
      await focusOn(`Actions of ${name}: Actions`);
      await scene.page.keyboard.press('Enter');
      await person.press(how, 'menuitem');
      await scene.page.locator('dialog[open] .danger').click();
      await scene.page.waitForFunction('!document.querySelector("dialog")');
    };
    await remove('Three', 'Revoke');
    await has('Actions of Three: Actions');
    await remove('Three', 'Delete');
    await has('Actions of Two: Actions');
    await remove('One', 'Delete');
    await has('Actions of Two: Actions');
    await remove('Two', 'Delete');
    await has('New key');
  });

  it('goes to the next rule, condition and variant of a flag', async () => {
    await open('flags/new');
    await person.choose('Type', 'multivariant');
    await focusOn('Remove control');
    await scene.page.keyboard.press('Enter');
    await has('Remove variant');
    for (let rule = 1; rule < 3; rule++) await person.press('Add a rule');
    await person.press('Add a condition to rule 1');
    await focusOn('Remove condition 2');
    await scene.page.keyboard.press('Enter');
    await has('Values');
    await focusOn('Remove rule 1');
    await scene.page.keyboard.press('Enter');
    await has('Remove rule 1');
  });

  it('stays in a row of an endless table that is scrolled out of sight', async () => {
    const links = Array.from({ length: 90 }, (_, at) => ({ name: `Link ${at}`, targetUrl: 'https://example.com/' }));
    await create('links/bulk', { links });
    await track.catchUp();
    await open('links?sort=createdAt');
    await scene.page.waitForSelector('tbody a[title="Link 3"]');
    await scene.page.focus('tbody a[title="Link 3"]');
    await scene.page.evaluate('row = document.activeElement; scrollTo(0, document.documentElement.scrollHeight)');
    await scene.page.waitForSelector('tbody a[title="Link 89"]');
    expect(await scene.page.$('tbody a[title="Link 20"]')).toBeNull();
    expect(await scene.page.evaluate('document.activeElement === row')).toBe(true);
    await scene.page.keyboard.press('Tab');
    expect(await focused()).toContain('Copy');
    await scene.page.evaluate('row = document.activeElement; scrollTo(0, 0)');
    await scene.page.waitForSelector('tbody a[title="Link 20"]');
    expect(await scene.page.evaluate('document.activeElement === row')).toBe(true);
    expect(await scene.violations()).toEqual([]);
  });

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  let track: TrackedConsole;
  let scene: ConsoleScene;
  let person: Person;

  const open = (path: string) => scene.visit(`/organizations/${scene.owner.organizationId}/${path}`);

  const create = async (path: string, body: object) => {
    const { organizationId, headers } = scene.owner;
    const route = path === 'invitations' ? `POST /v1/organizations/${organizationId}/${path}` : `POST /v1/${path}`;
    const sent = path === 'invitations' ? body : { organizationId, ...body };
    expect((await ask(scene.api, route as 'POST /', { body: sent, headers })).status).toBeLessThan(300);
  };

  const focusOn = async (name: string) => {
    const element = await scene.page.waitForSelector(`::-p-aria([name="${name}"][role="button"])`);
    await element?.focus();
  };

  const focused = () =>
    scene.page.evaluate(
      'document.activeElement === document.body ? "" : document.activeElement.ariaLabel ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent',
    ) as Promise<string>;

  const has = async (label: string) => {
    await waitUntil(focused, (found) => found.includes(label));
  };

  beforeAll(async () => {
    track = await openTrackedConsole();
    scene = track.scene;
    person = new Person(scene.page);
    await scene.visit('/');
    await scene.signIn();
    await scene.shows('Websites');
  }, 120_000);

  afterAll(() => track.close());
});
