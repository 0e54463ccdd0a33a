import { describeInChromium } from './chromium';
import type { ConsoleScene } from './console-scene';
import { Person } from './person';
import { openTrackedConsole, type TrackedConsole } from './tracked-console';

const TARGET = 'https://example.com/spring';

describeInChromium('tags in the console', () => {
  it('are made on a page of their own', async () => {
    await visit('links/tags');
    await person.reads('No tags yet');
    for (const [name, color] of [
      ['<b>News</b>', 'red'],
      ['Partners', 'teal'],
    ] as const) {
      await person.fill('Name', name);
      await person.choose('Colour', color);
      await person.press('Create tag');
      await person.reads(`Created ${name}`);
      await shownTags(name);
    }
    expect(await scene.page.$('main b')).toBeNull();
    expect(await scene.faults('tags')).toEqual([]);
  });

  it('say what is refused of their name', async () => {
    await person.fill('Name', 'Partners');
    await person.press('Create tag');
    expect(await person.fault('name')).toBe('This name is taken.');
    scene.errors.splice(0);
  });

  it('are put on links', async () => {
    await visit('links/new');
    await scene.shows('New link');
    await scene.page.waitForSelector('fieldset .tags');
    await person.fill('Destination', TARGET);
    await person.type('name', 'Spring');
    await person.press('Partners', 'checkbox');
    await person.press('Create link');
    await scene.shows('Spring');
    await scene.page.waitForSelector('.facts .tag.teal');
    await person.press('Edit', 'link');
    await scene.shows('Edit Spring');
    await person.press('<b>News</b>', 'checkbox');
    await person.press('Save');
    await scene.page.waitForSelector('.facts .tag.red');
  });

  it('are put on many links, which a table names', async () => {
    await visit('links/paste');
    await scene.shows('Paste many links');
    const table = ['long,title,tags', `${TARGET},Pasted,"Partners;<b>News</b>"`, `${TARGET},Wrong,Nobody`];
    await person.fill('Addresses', table.join('\n'));
    await person.press('Create 2 links');
    await person.reads('1 created, 1 refused');
    await person.reads('Must be a tag of the organization.');
  });

  it('are put on links that are selected, and taken off', async () => {
    await track.catchUp();
    await visit('links');
    await scene.page.waitForSelector('tbody .tag');
    await person.press('Select Pasted', 'checkbox');
    await person.reads('1 selected');
    await person.choose('Tag of the selected', await idOf('<b>News</b>'));
    expect(await scene.faults('selected-links')).toEqual([]);
    await person.press('Remove tag');
    await person.reads('Changed 1');
    await person.misses('1 selected');
    await track.catchUp();
    await visit('links');
    await scene.page.waitForSelector('tbody .tag');
    expect(await scene.page.$$('tbody .tag.red')).toHaveLength(1);
    expect(await scene.page.$$('tbody .tag.teal')).toHaveLength(2);
  });

  it('filter the list of links, and leave links when they are deleted', async () => {
    await track.catchUp();
    await visit('links');
    await scene.page.waitForSelector('tbody .tag');
    await person.choose('Tag', await idOf('Partners'));
    await scene.page.waitForFunction('location.search.includes("tagId=tag_")');
    await person.reads('Spring');
    expect(await scene.faults('links-with-tags')).toEqual([]);
    await scene.page.locator('details.more summary').click();
    await scene.page.waitForSelector('details [aria-label="Figures of the range"]');
    await person.reads('Browsers');
    expect(await scene.faults('clicks-of-a-tag')).toEqual([]);
    await visit('links/tags');
    await person.press('Edit Partners', 'link');
    await person.reads('Edit Partners');
    await person.fill('Name', 'Friends');
    await person.press('Save');
    await shownTags('Friends');
    await person.press('Delete Friends');
    await scene.page.waitForSelector('dialog[open]');
    await scene.page.locator('dialog .danger').click();
    await person.misses('Friends');
    await visit('links');
    await scene.page.waitForSelector('tbody .tag.red');
    expect(await scene.page.$('tbody .tag.teal')).toBeNull();
  });

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  let track: TrackedConsole;
  let scene: ConsoleScene;
  let person: Person;

  const visit = (page: string) => scene.visit(`/organizations/${scene.owner.organizationId}/${page}`);

  const shownTags = (name: string) =>
    scene.page.waitForSelector(`xpath/.//span[contains(@class,"tag")][.=${JSON.stringify(name)}]`);

  const idOf = async (name: string): Promise<string> => {
    const option = await scene.page.waitForSelector(`xpath/.//option[.=${JSON.stringify(name)}]`);
    return option!.evaluate((element) => (element as unknown as { readonly value: string }).value); // types of the browser are not there
  };

  beforeAll(async () => {
    track = await openTrackedConsole();
    scene = track.scene;
    person = new Person(scene.page);
    await scene.as(1_280, 'light');
    await visit('links');
    await scene.signIn();
    await scene.shows('Links');
  }, 120_000);

  afterAll(() => track.close());
});
