import { ask } from '../api/ask';
import { colleague } from '../api/people';
import { describeInChromium } from './chromium';
import { Person } from './person';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const FIREFOX = { field: 'browser_name', op: 'eq', value: 'Firefox' };
const VIEW = `?from=${SHOP_DAY}&to=${SHOP_DAY}&compare=none&filters=${encodeURIComponent(JSON.stringify([FIREFOX]))}`;
const NAME = '<b>Foxes</b>';

describeInChromium('saved views in the console', () => {
  it('keep what a page shows, and show it again on another one', async () => {
    await scene.visit(VIEW);
    await save(NAME);
    expect(await views()).toMatchObject([
      {
        name: NAME,
        isPrivate: false,
        ownerId: null,
        preset: null,
        compare: 'none',
        filters: [FIREFOX],
        startDate: SHOP_DAY,
        endDate: SHOP_DAY,
        segment: null,
        goal: null,
      },
    ]);
    await person.press('Remove the filter Browser is Firefox');
    await scene.until('!location.search.includes("Firefox")');
    await person.press('Behaviour');
    await person.press('Events', 'menuitem');
    await person.shows('Events');
    await choose(NAME);
    await scene.until('location.search.includes("Firefox") && location.search.includes("compare=none")');
    expect(page().url()).toContain('/events?');
    await person.press('Views ▾');
    await scene.until('document.querySelector(".saved-views [aria-pressed=true]") !== null');
    expect(await page().$('.popover b')).toBeNull();
    await scene.until('!document.querySelector(".skeleton, .outdated")');
    expect(await scene.console.faults('saved views')).toEqual([]);
    await page().keyboard.press('Escape');
  });

  it('are replaced under their name', async () => {
    await person.press('Remove the filter Browser is Firefox');
    await scene.until('!location.search.includes("Firefox")');
    await person.press('Views ▾');
    await person.fill('Save what this page shows as', NAME);
    await person.press('Replace the view');
    await scene.until('document.querySelector(".popover") === null');
    expect(await views()).toMatchObject([{ name: NAME, filters: [], startDate: SHOP_DAY }]);
  });

  it('of other people that are private are not shown, and the own ones are marked', async () => {
    const { api, owner } = scene.console;
    const { headers } = await colleague(api, owner, 'member');
    const { organizationId, websiteId } = owner;
    const hidden = { organizationId, websiteId, name: 'Not for you', isPrivate: true };
    expect((await ask(api, 'POST /v1/saved-views', { body: hidden, headers })).status).toBe(201);
    await scene.visit(VIEW);
    await save('Mine alone', { isPrivate: true });
    await person.press('Views ▾');
    await person.reads('Only you');
    expect(await shownViews()).toEqual([NAME, 'Mine alone Only you']);
    expect(await scene.console.faults('private views')).toEqual([]);
    await page().keyboard.press('Escape');
  });

  it('show lists by their goal, and are deleted', async () => {
    const { api, owner } = scene.console;
    const { organizationId, websiteId, headers } = owner;
    const of = { organizationId, websiteId };
    const goal = { ...of, name: 'Any page', condition: { kind: 'page' } };
    const goalId = String((await ask(api, 'POST /v1/goals', { body: goal, headers })).body.id);
    await scene.visit(`${VIEW}&goal=${goalId}`);
    await save('Of the goal');
    await scene.visit('?preset=last_30d');
    await choose('Of the goal');
    await scene.until(`location.search.includes("Firefox") && location.search.includes("${goalId}")`);
    await scene.until('!location.search.includes("preset")');
    for (const name of ['Of the goal', 'Mine alone', NAME]) {
      await person.press('Views ▾');
      await person.press(`Delete the view ${name}`);
      await page().waitForSelector('dialog[open]');
      await page().locator('dialog .danger').click();
      await scene.until(`!document.querySelector('.saved-views')?.textContent.includes(${JSON.stringify(name)})`);
      await page().keyboard.press('Escape');
      await scene.until('document.querySelector(".popover") === null');
    }
    expect((await views()).filter(({ name }) => name !== null)).toEqual([]);
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  let scene: WebsiteScene;
  let person: Person;
  const page = () => scene.console.page;

  async function save(name: string, { isPrivate = false } = {}): Promise<void> {
    await person.press('Views ▾');
    await person.fill('Save what this page shows as', name);
    if (isPrivate) await person.press('Only for me', 'checkbox');
    await person.press('Save the view');
    await scene.until('document.querySelector(".popover") === null');
  }

  async function choose(name: string): Promise<void> {
    await person.press('Views ▾');
    await person.press(name);
  }

  const shownViews = () =>
    page().evaluate(
      '[...document.querySelectorAll(".saved-views button[aria-pressed]")].map(({ textContent }) => textContent)',
    );

  async function views() {
    const { api, owner } = scene.console;
    const path = `/v1/saved-views?organizationId=${owner.organizationId}&websiteId=${owner.websiteId}` as const;
    return (await ask(api, `GET ${path}`, owner)).body.data as readonly Readonly<Record<string, unknown>>[];
  }

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    person = new Person(scene.console.page);
    await sendShopVisits(scene);
    await scene.console.as(1_280, 'light');
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  });
  afterAll(() => scene.close());
});
