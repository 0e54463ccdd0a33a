import { randomEventId } from '@ledgerline/contracts/events/event-id';
import { withClick } from '@ledgerline/domain/links/click-id';
import { ask } from '../api/ask';
import { describeInChromium } from './chromium';
import { Person, refusedIn } from './person';
import { FIREFOX, sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const RANGE = { startDate: SHOP_DAY, endDate: SHOP_DAY };
const VIEW = `from=${SHOP_DAY}&to=${SHOP_DAY}`;
const NAME = '<img src=x onerror=alert(1)>';
const LINK = '<b>Spring</b> mail';
const VALUE = '[name="condition.filters[0].value"]';

interface Definition {
  readonly condition: { readonly kind: string; readonly filters: readonly object[] };
  readonly value?: object | null;
}

/** Definitions that programs make, and a form of one filter cannot show. */
const KEPT: readonly (readonly [string, Definition])[] = [
  [
    'several filters, alternatives among them, and a value',
    {
      condition: {
        kind: 'event',
        filters: [
          { field: 'name', op: 'eq', value: 'order_paid' },
          {
            any: [
              { field: 'property:plan', op: 'eq', value: 'team' },
              { field: 'property:plan', op: 'eq', value: 'solo' },
            ],
          },
          { field: 'path', op: 'in', value: ['/page-1', '/page-2'] },
        ],
      },
      value: { property: 'amount', currency: 'EUR' },
    },
  ],
  [
    'a currency that a property names',
    {
      condition: { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'order_paid' }] },
      value: { property: 'amount', currency: { property: 'plan' } },
    },
  ],
  [
    'a filter on an empty text',
    { condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '' }] }, value: null },
  ],
];

describeInChromium('goals in the console', () => {
  it('are made of pages that there are, and counted at once', async () => {
    await scene.visit(`/goals?${VIEW}`);
    await person.reads('No goals yet');
    await person.press('New goal', 'link');
    await person.shows('New goal');
    const [top] = await scene.rows('top_pages', { ...RANGE, limit: 1 });
    await page().focus(VALUE);
    await scene.until(
      `document.querySelector('[role=option]')?.textContent === ${JSON.stringify(`${String(top!['name'])}${Number(top!['visitors'])} visitors`)}`,
    );
    await page().keyboard.press('ArrowDown');
    expect(await scene.console.violations()).toEqual([]);
    await scene.console.picture('goal-suggestions');
    await page().keyboard.press('Enter');
    await scene.until(`document.querySelector('${VALUE}').value === ${JSON.stringify(top!['name'])}`);
    await person.fill('Name', NAME);
    await person.press('Create the goal');
    await person.shows(NAME);
    expect(await page().$('img[src=x]')).toBeNull();
    const [goal] = await goals();
    expect(goal).toMatchObject({ name: NAME, conversions: top!['pageviews'], visitors: top!['visitors'] });
    await scene.until(figureReads('Conversions', Number(goal!['conversions'])));
    await person.choose('By', 'country');
    const rows = await scene.rows('goal_by', {
      ...RANGE,
      parameters: [{ name: 'goal_by', goal: goal!['goal_id'], by: 'country' }],
    });
    await person.reads(String(rows[0]!['name']));
    expect(await page().$('section[aria-label=Breakdown] option[value="property:plan"]')).toBeNull();
    const search = page().locator('section[aria-label=Breakdown] [type=search]');
    await search.fill('no such country');
    await person.reads('Nothing in this list holds “no such country”.');
    await search.fill(String(rows.at(-1)!['name']));
    await scene.until('document.querySelectorAll("section[aria-label=Breakdown] tbody tr").length === 1');
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
    await scene.until('!document.querySelector(".skeleton")');
    await edit();
    await person.choose('Trigger', 'link_click');
    await page().waitForSelector('option[value=external_id]');
    await person.choose('Trigger', 'event');
    await person.press('Remove filter 1');
    await person.reads('Every custom event counts.');
    await person.fill('Name', 'An event');
    await person.type('value.property', 'x'.repeat(300));
    await person.press('Save the goal');
    expect(await person.fault('value.property')).not.toBe('');
    expect(refusedIn(scene.console)).toEqual([400]);
    await person.type('value.property', '');
    await person.press('Save the goal');
    await person.shows('An event');
    expect(await goals()).toMatchObject([{ name: 'An event' }]);
    expect((await stored(await idOf('An event')))['condition']).toEqual({ kind: 'event', filters: [] });
  });

  it('are worth what a property says, in the currency that another one names', async () => {
    await edit();
    await person.type('value.property', 'amount');
    await person.choose('Currency', 'property');
    await person.type('value.currency', 'plan');
    await person.press('Save the goal');
    await page().waitForSelector('section[aria-label=Revenue] tbody tr');
    const [row] = await scene.table('Revenue');
    expect(row?.map((text) => text.replace('new', ''))).toEqual(['None', '275', '11', '11', '25', '25']);
    const value = { property: 'amount', currency: { property: 'plan' } };
    expect((await stored(await idOf('An event')))['value']).toEqual(value);
    expect(await scene.console.faults('goal-revenue')).toEqual([]);
  });

  it('of custom events are broken down by their properties', async () => {
    await page().waitForSelector('section[aria-label=Breakdown] option[value="property:plan"]');
    await person.choose('By', 'property:plan');
    await scene.until(
      'document.querySelector("section[aria-label=Breakdown] thead th").textContent === "Property plan"',
    );
    await scene.until('!document.querySelector(".outdated, .skeleton")');
    const [row, ...others] = await scene.table('Breakdown');
    expect(row?.slice(0, 2).map((text) => text.replace('new', ''))).toEqual(['team', '11']);
    expect(others).toEqual([]);
    expect(await scene.console.faults('goal-by-property')).toEqual([]);
  });

  it('are shared among the short links that led to the website, which conditions name, too', async () => {
    const { organizationId, headers } = scene.console.owner;
    const link = {
      organizationId,
      name: LINK,
      slug: 'spring',
      targetUrl: 'https://shop.example/',
      externalId: 'mail-7',
    };
    const { body: made } = await ask(scene.console.api, 'POST /v1/links', { body: link, headers });
    const address = withClick('https://shop.example/page-1', { id: randomEventId(0), linkId: String(made['id']) });
    const timestamp = Date.parse(`${SHOP_DAY}T15:00:00Z`);
    const visit = { name: 'screen_view', anonymousId: 'reader', sessionId: 'session-reader', timestamp };
    await scene.send('/batch', FIREFOX, [{ ...visit, path: address }]);
    await scene.project();
    await scene.visit(`/goals/new?${VIEW}`);
    await person.shows('New goal');
    await person.choose('Trigger', 'link_click');
    await page().focus(VALUE);
    await scene.until(`document.querySelector('[role=option]')?.textContent === ${JSON.stringify(`${LINK}1 click`)}`);
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('Enter');
    await person.fill('Name', 'By mail');
    await person.press('Create the goal');
    await person.shows('By mail');
    const filters = [{ field: 'link_id', op: 'eq', value: made['id'] }];
    expect((await stored(await idOf('By mail')))['condition']).toEqual({ kind: 'link_click', filters });
    await edit();
    await person.choose('Trigger', 'page');
    await person.press('Remove filter 1');
    await person.press('Save the goal');
    await person.reads('The goal is saved');
    const rows = async () => scene.table('Short links');
    await scene.until(`document.querySelectorAll('section[aria-label="Short links"] tbody tr').length === 2`);
    const [none, own] = await rows();
    expect([none![0], own!.slice(0, 4)]).toEqual(['No short link', [LINK, '1', '1', '1']]);
    await person.choose('Attribution', 'position');
    await scene.until('!document.querySelector(".outdated, .skeleton")');
    expect((await rows())[1]).toEqual(own);
    expect(await scene.console.faults('goal-links')).toEqual([]);
    await ask(scene.console.api, `DELETE /v1/goals/${await idOf('By mail')}`, { headers });
  });

  it.each(KEPT)('keep %s when their name is changed', async (name, definition) => {
    const { organizationId, websiteId, headers } = scene.console.owner;
    const body = { organizationId, websiteId, name, ...definition };
    const { body: made } = await ask(scene.console.api, 'POST /v1/goals', { body, headers });
    await scene.visit(`/goals/${String(made['id'])}?${VIEW}`);
    await person.shows(name);
    await scene.until('!document.querySelector(".skeleton")');
    await edit();
    await person.type('name', `Renamed: ${name}`);
    await person.press('Save the goal');
    await person.shows(`Renamed: ${name}`);
    expect(await stored(String(made['id']))).toMatchObject(definition);
    await ask(scene.console.api, `DELETE /v1/goals/${String(made['id'])}`, { headers });
  });

  it('show all filters of a condition, and say which of them stay as they are', async () => {
    const { organizationId, websiteId, headers } = scene.console.owner;
    const body = { organizationId, websiteId, name: 'Of many parts', ...KEPT[0]![1] };
    const { body: made } = await ask(scene.console.api, 'POST /v1/goals', { body, headers });
    await scene.visit(`/goals/${String(made['id'])}?${VIEW}`);
    await person.shows('Of many parts');
    await scene.until('!document.querySelector(".skeleton")');
    await edit();
    await person.reads('plan is team or plan is solo');
    await person.reads('This form cannot change this filter; it stays as it is.');
    await person.type('condition.filters[0].value', 'order_refunded');
    await person.press('Save the goal');
    await person.reads('The goal is saved');
    const { condition } = KEPT[0]![1];
    const filters = condition.filters.with(0, { field: 'name', op: 'eq', value: 'order_refunded' });
    expect((await stored(String(made['id'])))['condition']).toEqual({ ...condition, filters });
    expect(await scene.console.faults('goal-of-many-parts')).toEqual([]);
    await ask(scene.console.api, `DELETE /v1/goals/${String(made['id'])}`, { headers });
  });

  it('are deleted', async () => {
    await scene.visit(`/goals/${await idOf('An event')}?${VIEW}`);
    await person.shows('An event');
    await scene.until('!document.querySelector(".skeleton")');
    await person.press('Delete');
    await person.reads('Delete An event?');
    await page().waitForSelector('dialog[open]');
    await page().locator('dialog .danger').click();
    await person.reads('No goals yet');
    expect(await scene.console.faults('no-goals')).toEqual([]);
    expect(scene.console.errors).toEqual([]);
  });

  const page = () => scene.console.page;
  const edit = () => person.press('Edit');
  const goals = () => scene.rows('goals', RANGE);
  const idOf = async (name: string) => String((await goals()).find((goal) => goal['name'] === name)!['goal_id']);
  const stored = async (id: string) => {
    const { headers } = scene.console.owner;
    return (await ask(scene.console.api, `GET /v1/goals/${id}`, { headers })).body;
  };
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
