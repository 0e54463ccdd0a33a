import { ask } from '../api/ask';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { Person, refusedIn } from './person';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const RANGE = { startDate: SHOP_DAY, endDate: SHOP_DAY };
const FIREFOX = { field: 'browser_name', op: 'eq', value: 'Firefox' };
const VIEW = `?from=${SHOP_DAY}&to=${SHOP_DAY}`;
const NAME = '<b>Foxes</b>';

describeInChromium('segments in the console', () => {
  it('are made of the filters of a page, which shows the same then', async () => {
    await scene.visit(`${VIEW}&filters=${encodeURIComponent(JSON.stringify([FIREFOX]))}`);
    const filtered = await scene.table('Pages');
    await person.press('Segment ▾');
    await person.fill('Save as a segment', NAME);
    await person.press('Save the segment');
    await scene.until('location.search.includes("segment=seg_")');
    await scene.until(`document.querySelector('.view-bar').textContent.includes(${JSON.stringify(NAME)})`);
    expect(await page().$('.chip')).toBeNull();
    expect(await scene.table('Pages')).toEqual(filtered);
    const [segment] = await segments();
    expect(segment).toMatchObject({ name: NAME, filters: [FIREFOX], websiteId: scene.console.owner.websiteId });
    await scene.until('!document.querySelector(".outdated, .skeleton")');
    expect(await scene.console.faults('segment')).toEqual([]);
  });

  it('stay while other pages are opened, and in an address that is shared', async () => {
    await person.press('Behaviour');
    await person.press('Events', 'menuitem');
    await person.shows('Events');
    await scene.until('location.search.includes("segment=seg_")');
    const address = page().url();
    await page().goto('about:blank');
    await page().goto(address);
    await scene.until(`document.querySelector('.view-bar')?.textContent.includes(${JSON.stringify(NAME)})`);
  });

  it('are listed in words, and looked at from there', async () => {
    await person.press(`${NAME} ▾`);
    await person.press('All segments', 'link');
    await person.shows('Segments');
    await person.reads('Browser is Firefox');
    expect(await page().$('main .page b')).toBeNull();
    expect(await scene.console.faults('segments')).toEqual([]);
    await person.press(`Open the dashboard of ${NAME}`, 'link');
    const [pages] = await scene.table('Pages');
    const [top] = await scene.rows('top_pages', { ...RANGE, filters: [FIREFOX] });
    expect(pages?.slice(0, 2)).toEqual([top!['name'], String(top!['visitors'])]);
  });

  it('are changed, with what is wrong said, and what visitors did is kept', async () => {
    const did = [{ condition: { kind: 'event', filters: [] }, within: 'range', not: true }];
    const [{ id } = {}] = await segments();
    const { headers } = scene.console.owner;
    await ask(scene.console.api, `PATCH /v1/segments/${id}`, { body: { did }, headers });
    await scene.visit(`/segments/${id}${VIEW}`);
    await scene.until('document.querySelectorAll("main fieldset").length === 2');
    await person.fill('Name', 'x'.repeat(101));
    await person.press('Save the segment');
    expect(await person.fault('name')).not.toBe('');
    expect(refusedIn(scene.console)).toEqual([400]);
    await person.fill('Name', 'Foxes');
    await person.press('Remove the filter Browser is Firefox');
    await person.press('Save the segment');
    await person.shows('Foxes');
    expect(await segments()).toMatchObject([{ name: 'Foxes', filters: [], did }]);
    await person.press('Add what they did');
    await page().locator('[name="did[1].condition.filters[0].value"]').fill('/checkout');
    await person.press('Save the segment');
    const bought = { condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/checkout' }] } };
    await waitUntil(segments, ([segment]) => JSON.stringify(segment).includes('/checkout'));
    expect(await segments()).toMatchObject([{ did: [did[0], { ...bought, within: 'session', not: false }] }]);
    expect(await scene.console.faults('segment-form')).toEqual([]);
  });

  it('are deleted, which addresses with them say', async () => {
    const [{ id } = {}] = await segments();
    await person.press('Delete');
    await page().waitForSelector('dialog[open]');
    await page().locator('dialog .danger').click();
    await person.reads('No segments yet');
    await scene.visit(`${VIEW}&segment=${id}`);
    await person.reads('Deleted segment');
    await person.press('Deleted segment ▾');
    await person.press('Everyone');
    expect((await scene.table('Pages')).length).toBe(8);
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  let scene: WebsiteScene;
  let person: Person;
  const page = () => scene.console.page;

  async function segments(): Promise<readonly { readonly id: string }[]> {
    const { organizationId, headers } = scene.console.owner;
    return (await ask(scene.console.api, `GET /v1/segments?organizationId=${organizationId}`, { headers })).body
      .data as { id: string }[];
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
