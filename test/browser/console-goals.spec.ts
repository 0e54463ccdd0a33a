import { describeInChromium } from './chromium';
import { Person, refusedIn } from './person';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const RANGE = { startDate: SHOP_DAY, endDate: SHOP_DAY };
const VIEW = `from=${SHOP_DAY}&to=${SHOP_DAY}`;
const NAME = '<img src=x onerror=alert(1)>';

describeInChromium('goals in the console', () => {
  it('are made of pages that there are, and counted at once', async () => {
    await scene.visit(`/goals?${VIEW}`);
    await person.reads('No goals yet');
    await person.press('New goal', 'link');
    await person.shows('New goal');
    const [top] = await scene.rows('top_pages', { ...RANGE, limit: 1 });
    await scene.until(`document.querySelector('datalist option')?.value === ${JSON.stringify(top!['name'])}`);
    await person.fill('Name', NAME);
    await page().locator('input[name=value]').fill(String(top!['name']));
    await person.press('Create the goal');
    await person.shows(NAME);
    expect(await page().$('img')).toBeNull();
    const [goal] = await goals();
    expect(goal).toMatchObject({ name: NAME, conversions: top!['pageviews'], visitors: top!['visitors'] });
    await scene.until(figureReads('Conversions', Number(goal!['conversions'])));
    await person.choose('By', 'country');
    const rows = await scene.rows('goal_by', {
      ...RANGE,
      parameters: [{ name: 'goal_by', goal: goal!['goal_id'], by: 'country' }],
    });
    await person.reads(String(rows[0]!['name']));
    expect(await scene.console.faults('goal')).toEqual([]);
  });

  it('are listed with their figures', async () => {
    await person.press('All goals', 'link');
    await person.shows('Goals');
    const [goal] = await goals();
    const [row] = await scene.table('Goals');
    expect(row?.slice(0, 2)).toEqual([NAME, expect.stringContaining(String(goal!['conversions']))]);
    expect(await scene.console.faults('goals')).toEqual([]);
  });

  it('are changed, with what is wrong shown at its field', async () => {
    await person.press(NAME, 'link');
    await person.shows(NAME);
    await person.choose('It is reached when', 'event');
    await person.fill('Name', 'An event');
    await page().locator('input[name=value]').fill('');
    await person.fill('Property with the amount', 'x'.repeat(300));
    await person.press('Save the goal');
    expect(await person.fault('property')).not.toBe('');
    expect(refusedIn(scene.console)).toEqual([400]);
    await person.fill('Property with the amount', '');
    await person.press('Save the goal');
    await person.shows('An event');
    expect(await goals()).toMatchObject([{ name: 'An event' }]);
  });

  it('are deleted', async () => {
    await person.press('Delete');
    await person.reads('Delete An event?');
    await page().waitForSelector('dialog[open]');
    await page().click('dialog .danger');
    await person.reads('No goals yet');
    expect(await scene.console.faults('no-goals')).toEqual([]);
    expect(scene.console.errors).toEqual([]);
  });

  const page = () => scene.console.page;
  const goals = () => scene.rows('goals', RANGE);
  const figureReads = (name: string, value: number) =>
    `[...document.querySelectorAll('.figure')].some((each) => each.textContent.includes(${JSON.stringify(name)}) && each.textContent.includes(${JSON.stringify(value.toLocaleString('en-US'))}))`;
  let scene: WebsiteScene;
  let person: Person;

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    person = new Person(scene.console.page);
    await sendShopVisits(scene);
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  });
  afterAll(() => scene.close());
});
