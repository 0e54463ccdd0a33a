import { ask } from '../api/ask';
import { describeInChromium } from './chromium';
import { Person, refusedIn } from './person';
import { SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const RANGE = { startDate: SHOP_DAY, endDate: SHOP_DAY };
const VIEW = `from=${SHOP_DAY}&to=${SHOP_DAY}`;

describeInChromium('funnels in the console', () => {
  it('are made of pages and events that there are, on a website that has none', async () => {
    await scene.visit(`/funnels?${VIEW}`);
    await person.reads('No funnels yet');
    expect(await scene.console.faults('no-funnels')).toEqual([]);
    await sendVisits(scene);
    await person.press('New funnel', 'link');
    await person.shows('New funnel');
    await person.fill('Name', 'Checkout');
    await chooseValue(0, '/sho', '/shop5 visitors');
    await person.press('Add a step');
    await person.press('Add a step');
    await kind(1, 'event');
    await chooseValue(1, 'ord', 'order3 visitors');
    await chooseValue(2, '/ca', '/cart4 visitors');
    await person.type(nameOf(3), '/nowhere');
    await page().evaluate('scrollTo(0, 0)'); // nothing is below the bar at the top
    expect(await scene.console.faults('funnel-form')).toEqual([]);
    await person.press('Remove step 4');
    await person.misses('Step 4');
  });

  it('have their steps moved by keys', async () => {
    await page().focus('xpath/.//button[.="Move down step 2"]');
    await page().keyboard.press('Enter');
    await scene.until(`${valueOf(1)} === '/cart' && ${valueOf(2)} === 'order'`);
    await scene.until('document.activeElement.textContent === "Move down step 3"');
    await person.reads('Step 2 is step 3 now');
  });

  it('are refused with what is wrong at its field', async () => {
    await person.type('steps[1].name', 'x'.repeat(101));
    await person.type('window', '1.5');
    await person.press('Create the funnel');
    expect(await person.fault('window')).toContain('30m, 12h or 7d');
    expect(await person.fault('steps[1].name')).toContain('100');
    expect(refusedIn(scene.console)).toEqual([400]);
    await person.type('steps[1].name', 'Cart');
    await person.type('window', '12');
    await person.choose('Unit', 'h');
    await person.press('Create the funnel');
    await person.shows('Checkout');
  });

  it('show where visitors leave, as the api counts them', async () => {
    const counted = await rows({ name: 'funnel', funnel: await id() });
    expect(counted.map(({ reached, dropped }) => [reached, dropped])).toEqual([
      [5, 1],
      [4, 1],
      [3, 0],
    ]);
    await scene.until('document.querySelectorAll(".funnel-steps > li").length === 3');
    await scene.until('!document.querySelector(".outdated, .skeleton")');
    const shown = String(await page().evaluate('document.querySelector(".funnel-steps").innerText'));
    for (const text of [
      '5 visitors',
      '4 visitors',
      '3 visitors',
      '80\u00A0% of the first step',
      '−20\u00A0%',
      '−25\u00A0%',
    ])
      expect(shown).toContain(text);
    const table = await scene.table('Funnel');
    expect(table.map((cells) => cells[0])).toEqual(['1 Step 1', '2 Cart', '3 Step 3']);
    expect(table[2]!.slice(1)).toEqual(
      [/^3/, /^0/, /^60\u00A0%/, /^75\u00A0%/, '2\u00A0min'].map((text) => expect.stringMatching(text) as string),
    );
    expect(await scene.console.faults('funnel')).toEqual([]);
  });

  it('have a drop-off by country', async () => {
    const shown = await scene.table('Breakdown');
    expect(shown).toEqual([
      ['Germany', '3', '3 100\u00A0%', '3 100\u00A0%'].map((text) => expect.stringMatching(`^${text}`) as string),
      ['United States', '2', '1 50\u00A0%', '0 0\u00A0%'].map((text) => expect.stringMatching(`^${text}`) as string),
    ]);
    await person.choose('By', 'device_type');
    await scene.until('location.search.includes("by=device_type")');
    await scene.until('document.querySelector("section[aria-label=Breakdown] thead th").textContent === "Device"');
  });

  it('lead to the visitors who left', async () => {
    await person.press('1 left here');
    const [visitor, ...others] = await scene.table('Visitors');
    expect(others).toEqual([]);
    const [asked] = await rows({ name: 'funnel_visitors', funnel: await id(), step: 1, state: 'dropped' });
    expect(visitor![0]).toBe(String(asked!['visitor_id']).slice(0, 8));
    await page().evaluate('scrollTo(0, 0)');
    expect(await scene.console.faults('funnel-visitors')).toEqual([]);
    await page().locator('section[aria-label=Visitors] tbody a').click();
    await scene.until(`location.pathname.endsWith('/visitors/${String(asked!['visitor_id'])}')`);
    await page().goBack();
    await person.shows('Checkout');
  });

  it('are changed by rows of lists, and copied', async () => {
    await scene.visit(`/events?${VIEW}`);
    await useRow('refund', 'Next step of Checkout');
    await person.shows('Checkout');
    await person.reads('one more step, which is not saved yet');
    await scene.until('!document.querySelector(".skeleton")');
    await scene.until(`${valueOf(3)} === 'refund'`);
    await person.press('Save the funnel');
    await scene.until('document.querySelectorAll(".funnel-steps > li").length === 4');
    await person.misses('one more step, which is not saved yet');
    await person.press('Duplicate', 'link');
    await person.shows('New funnel');
    await scene.until('document.querySelector("[name=name]").value === "Checkout 2"');
    await person.press('Create the funnel');
    await person.shows('Checkout 2');
    expect((await rows({ name: 'funnel', funnel: await id() })).length).toBe(4);
  });

  it('are listed with how many came to their ends', async () => {
    await person.press('All funnels', 'link');
    await person.shows('Funnels');
    await scene.until('!document.querySelector("section[aria-label=Funnels]").textContent.includes("…")');
    const shown = await scene.table('Funnels');
    expect(shown.map((cells) => cells.slice(0, 2))).toEqual([
      ['Checkout', '4'],
      ['Checkout 2', '4'],
    ]);
    expect(shown[0]!.slice(2)).toEqual([/^5/, /^0/, /^0\u00A0%/].map((text) => expect.stringMatching(text) as string));
    expect(await scene.console.faults('funnels')).toEqual([]);
  });

  it('begin with a row of a list, as goals do, which filters, too', async () => {
    await scene.visit(`/pages?${VIEW}`);
    await useRow('/cart', 'New funnel that begins here');
    await person.shows('New funnel');
    await scene.until(`${valueOf(0)} === '/cart'`);
    await scene.visit(`/events?${VIEW}`);
    await useRow('order', 'New goal');
    await person.shows('New goal');
    await scene.until(`document.querySelector('[name="condition.filters[0].value"]').value === 'order'`);
    await scene.visit(`/events?${VIEW}`);
    await useRow('refund', 'Filter by this');
    await person.reads('Custom event is refund');
    await scene.until('!document.querySelector(".outdated, .skeleton")');
    expect(await scene.console.faults('events-filtered')).toEqual([]);
  });

  it('of a custom event have a drop-off by its properties', async () => {
    await scene.visit(`/funnels/${await id()}?${VIEW}`);
    await scene.table('Breakdown');
    expect(await breakdowns()).toEqual([]);
    const { organizationId, websiteId, headers } = scene.console.owner;
    const order = { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'order' }] };
    const steps = [{ condition: order }, { condition: { kind: 'page' } }];
    const body = { organizationId, websiteId, name: 'After the order', steps };
    const { body: made } = await ask(scene.console.api, 'POST /v1/funnels', { body, headers });
    await scene.visit(`/funnels/${String(made['id'])}?${VIEW}`);
    await person.shows('After the order');
    await scene.until(`(${BREAKDOWN_OPTIONS}).includes('property:plan')`);
    expect(await breakdowns()).toEqual(['property:plan']);
    await person.choose('By', 'property:plan');
    await scene.until(
      'document.querySelector("section[aria-label=Breakdown] thead th").textContent === "Property plan"',
    );
    await scene.until('!document.querySelector(".outdated, .skeleton")');
    const shown = await scene.table('Breakdown');
    expect(shown.map((cells) => cells.map((text) => /^\w+/.exec(text)?.[0]))).toEqual([
      ['team', '2', '0'],
      ['solo', '1', '0'],
    ]);
    expect(await scene.console.faults('funnel-by-property')).toEqual([]);
    await ask(scene.console.api, `DELETE /v1/funnels/${String(made['id'])}`, { headers });
  });

  it('are deleted', async () => {
    await scene.visit(`/funnels/${await id()}?${VIEW}`);
    await person.shows('Checkout');
    await scene.until('!document.querySelector(".skeleton")');
    await person.press('Delete');
    await page().waitForSelector('dialog[open]');
    await page().locator('dialog .danger').click();
    await person.shows('Funnels');
    await scene.until('document.querySelectorAll("section[aria-label=Funnels] tbody tr").length === 1');
    expect(scene.console.errors).toEqual([]);
  });

  const page = () => scene.console.page;
  const rows = (parameter: object) => scene.rows('funnel', { ...RANGE, parameters: [parameter] });
  const BREAKDOWN_OPTIONS = `[...document.querySelectorAll('section[aria-label=Breakdown] option')].map(({ value }) => value)`;
  const breakdowns = async () =>
    ((await page().evaluate(BREAKDOWN_OPTIONS)) as string[]).filter((value) => value.includes(':'));
  const nameOf = (step: number) => `steps[${step}].condition.filters[0].value`;
  const valueOf = (step: number) => `document.querySelector('[name="${nameOf(step)}"]')?.value`;
  const kind = async (step: number, name: string) => {
    const select = await page().waitForSelector(`[name="steps[${step}].condition.kind"]`);
    await select?.select(name);
  };
  /** The id of the oldest one. */
  const id = async () => {
    const { organizationId, websiteId, headers } = scene.console.owner;
    const route = `GET /v1/funnels?organizationId=${organizationId}&websiteId=${websiteId}` as const;
    const { body } = await ask(scene.console.api, route, { headers });
    return (body['data'] as readonly { readonly id: string }[])[0]!.id;
  };

  /** Types a part of a value, and takes the first one that is suggested. */
  async function chooseValue(step: number, typed: string, suggested: string): Promise<void> {
    await person.type(nameOf(step), typed);
    await scene.until(`document.querySelector('[role=option]')?.textContent === ${JSON.stringify(suggested)}`);
    await page().keyboard.press('ArrowDown');
    await page().keyboard.press('Enter');
  }

  async function useRow(name: string, item: string): Promise<void> {
    await page().locator(`xpath/.//tbody//button[contains(., "Use ${name}:")]`).click();
    await page().locator(`xpath/.//*[@role="menuitem"][.="${item}"]`).click();
  }

  let scene: WebsiteScene;
  let person: Person;

  beforeAll(async () => {
    scene = await WebsiteScene.open();
    person = new Person(scene.console.page);
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  });
  afterAll(() => scene.close());
});

/** Five visitors of the shop: four of them come to the cart a minute later, three order two minutes after that. */
async function sendVisits(scene: WebsiteScene): Promise<void> {
  const visitors = [
    ['german-1', GERMAN, 3],
    ['german-2', GERMAN, 3],
    ['german-3', GERMAN, 3],
    ['american-1', AMERICAN, 2],
    ['american-2', AMERICAN, 1],
  ] as const;
  for (const [nth, [who, address, steps]] of visitors.entries()) {
    const common = { anonymousId: who, sessionId: `session-${who}` };
    const at = (second: number) => Date.parse(`${SHOP_DAY}T10:00:00Z`) + second * 1_000;
    const items = [
      { ...common, name: 'screen_view', path: '/shop', timestamp: at(0) },
      { ...common, name: 'screen_view', path: '/cart', timestamp: at(60) },
      {
        ...common,
        name: 'order',
        path: '/cart',
        timestamp: at(180),
        properties: { plan: nth === 0 ? 'solo' : 'team' },
      },
    ].slice(0, steps);
    const refunded = { ...common, name: 'refund', path: '/', timestamp: at(-60), properties: { reason: 'late' } };
    const refund = nth === 0 ? [refunded] : [];
    await scene.send('/batch', { userAgent: `Mozilla/5.0 (X11; Linux x86_64) Chrome/${120 + nth}.0.0.0`, address }, [
      ...refund,
      ...items,
    ]);
  }
  await scene.project();
}

const GERMAN = '91.10.0.1';
const AMERICAN = '8.8.8.8';
