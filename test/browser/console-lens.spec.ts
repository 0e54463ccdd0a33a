import { randomEventId } from '@ledgerline/contracts/events/event-id';
import { withClick } from '@ledgerline/domain/links/click-id';
import { ok } from '../api/every-change';
import { describeInChromium } from './chromium';
import { Person } from './person';
import { FIREFOX, sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const RANGE = { startDate: SHOP_DAY, endDate: SHOP_DAY };
const VIEW = `from=${SHOP_DAY}&to=${SHOP_DAY}`;
/** The most that content may move by itself while a page loads (web.dev/cls calls 0.1 good). */
const MOST_SHIFT = 0.05;

const button = (name: string) => `::-p-aria([name="${name}"][role="button"])`;
const link = (name: string) => `::-p-aria([name="${name}"][role="link"])`;
const item = (name: string) => `::-p-aria([name="${name}"][role="menuitem"])`;
const WEBSITE = 'tbody th a';

/** The clicks that lead from the websites to a page. */
const WAYS: readonly (readonly [clicks: number, heading: string, presses: readonly string[]])[] = [
  [4, 'Visitor ', [WEBSITE, button('Audience'), item('Visitors'), 'tbody a[href*="/visitors/"]']],
  [2, 'New share', [WEBSITE, link('Share')]],
  [3, 'Goals', [WEBSITE, button('Goals & funnels'), item('Goals')]],
  [3, 'Funnels', [WEBSITE, button('Goals & funnels'), item('Funnels')]],
  [3, 'New link', [link('Links'), link('New link'), 'details.more > summary']],
  [2, 'Members', [link('Members'), button('Invite a person')]],
];

describeInChromium('the pages of a website', () => {
  it('are led to by tabs of which none is off the edge', async () => {
    for (const width of [1_280, 1_440]) {
      await scene.console.as(width, 'light');
      await scene.visit(`?${VIEW}`);
      await page().waitForSelector('.sub-navigation ul');
      expect(await page().evaluate('document.querySelector(".sub-navigation ul").children.length')).toBe(7);
      expect(await page().evaluate(OVERFLOW_OF_TABS)).toBe(0);
    }
  });

  it.each([390, 1_280])('move nothing by themselves while they load at %d px', async (width) => {
    await scene.console.as(width, 'light');
    const shifts: Record<string, number> = {};
    const { organizationId } = scene.console.owner;
    for (const path of [...PAGES, `/goals/${goal}`, ...ORGANIZATION_PAGES]) {
      if (ORGANIZATION_PAGES.includes(path)) await scene.console.visit(`/organizations/${organizationId}${path}`);
      else await scene.visit(`${path}?${VIEW}`);
      await scene.until('document.querySelector("h1") && !document.querySelector(".skeleton, .outdated")');
      await page().evaluate('new Promise(requestIdleCallback)');
      const shift = Number(await page().evaluate('window.shift'));
      if (shift > MOST_SHIFT) shifts[path] = shift;
    }
    expect(shifts).toEqual({});
  });

  it.each(WAYS)('are %i clicks before %s', async (clicks, heading, presses) => {
    await scene.console.as(1_280, 'light');
    await scene.console.visit(`/organizations/${scene.console.owner.organizationId}/websites`);
    await scene.console.shows('Websites');
    for (const selector of presses) await page().locator(selector).click();
    await page().waitForSelector(`xpath/.//h1[starts-with(., ${JSON.stringify(heading)})]`);
    expect(presses).toHaveLength(clicks);
  });

  it('see their lists by a goal, with as many questions, and say which cannot be', async () => {
    await scene.console.as(1_280, 'light');
    scene.queries = 0;
    await scene.visit(`?${VIEW}&goal=${goal}`);
    const parameters = [{ name: 'goal_by', goal, by: 'path', limit: 8 }];
    const rows = await scene.rows('goal_by', { ...RANGE, parameters });
    const shown = await scene.table('Pages');
    expect(shown.map(([name, visitors, conversions]) => [name, Number(visitors), Number(conversions)])).toEqual(
      rows.map(({ name, visitors, conversions }) => [name, visitors, conversions]),
    );
    expect(scene.queries).toBe(1);
    await person.reads('Not by goal');
    expect(await scene.console.faults('lens')).toEqual([]);
    await scene.visit(`/sources?${VIEW}&goal=${goal}`);
    await scene.table('Sources');
    await person.reads('Conversion rate');
  });

  it('say on the page of a link what became of its clicks', async () => {
    const { owner, api } = scene.console;
    const { organizationId, headers } = owner;
    const link = { organizationId, name: 'Mail', slug: 'mail', targetUrl: 'https://example.com/page-1' };
    const { id } = (await ok(api, 'POST /v1/links', { body: link, headers })).body;
    const away = { organizationId, name: 'Away', slug: 'away', targetUrl: 'https://elsewhere.example/' };
    const { id: other } = (await ok(api, 'POST /v1/links', { body: away, headers })).body;
    const path = withClick('https://example.com/page-1', { id: randomEventId(0), linkId: String(id) });
    const timestamp = Date.parse(`${SHOP_DAY}T15:00:00Z`);
    const visit = { name: 'screen_view', anonymousId: 'reader', sessionId: 'session-reader', timestamp, path };
    await scene.send('/batch', FIREFOX, [visit]);
    await scene.project();
    const links = `/organizations/${organizationId}/links`;
    await scene.console.visit(`${links}/${String(id)}?${VIEW}`);
    await person.reads(/Visits\s+1\s+Visitors\s+1\s+Conversions\s+1/);
    await person.reads('Where its visitors went');
    expect(await scene.console.faults('link-outcome')).toEqual([]);
    await scene.console.visit(`${links}/${String(other)}?${VIEW}`);
    await person.reads('no website of this organization');
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  const OVERFLOW_OF_TABS =
    '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".sub-navigation ul"))';
  const PAGES = [
    '',
    '/pages',
    '/sources',
    '/visitors',
    '/sessions',
    '/events',
    '/errors',
    '/vitals',
    '/flow',
    '/goals',
    '/realtime',
    '/places',
    '/engagement',
    '/outgoing',
    '/devices',
    '/retention',
    '/funnels',
    '/segments',
    '/install',
  ];
  const ORGANIZATION_PAGES: readonly string[] = [
    '/websites',
    '/links',
    '/flags',
    '/monitors',
    '/status-pages',
    '/members',
    '/api-keys',
    '/audit',
    '/settings',
  ];
  const page = () => scene.console.page;
  let scene: WebsiteScene;
  let person: Person;
  let goal: string;

  beforeAll(async () => {
    scene = await WebsiteScene.open({ timezone: 'UTC' });
    person = new Person(scene.console.page);
    await sendShopVisits(scene);
    const { api, owner } = scene.console;
    const { organizationId, websiteId, headers } = owner;
    const condition = { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/page-1' }] };
    const body = { organizationId, websiteId, name: 'First page', condition };
    goal = String((await ok(api, 'POST /v1/goals', { body, headers })).body.id);
    await page().evaluateOnNewDocument(
      'window.shift = 0; new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value; }).observe({ type: "layout-shift", buffered: true });',
    );
    await scene.console.as(1_280, 'light');
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  });
  afterAll(() => scene.close());
});
