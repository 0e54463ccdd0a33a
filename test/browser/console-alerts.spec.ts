import type { HTTPRequest } from 'puppeteer-core';
import { ask } from '../api/ask';
import { ok } from '../api/every-change';
import { documentAt } from '../docs/documents';
import { alertDecided } from '../events/alert-decided';
import { describeInChromium } from './chromium';
import { Person, refusedIn } from './person';
import { sendShopVisits, SHOP_DAY } from './shop-visits';
import { WebsiteScene } from './website-scene';

const FIREFOX = { field: 'browser_name', op: 'eq', value: 'Firefox' };
const RANGE = `from=${SHOP_DAY}&to=${SHOP_DAY}`;
const VIEW = `?${RANGE}&filters=${encodeURIComponent(JSON.stringify([FIREFOX]))}`;
const MARKUP = '<img src=x onerror=alert(1)>';
const HOUR_MS = 3_600_000;
/** The visit of Firefox lies in windows that end after it. */
const NOON = Date.parse(`${SHOP_DAY}T13:00:00Z`);

describeInChromium('alerts in the console', () => {
  it('are three clicks from a figure, filled with what is looked at', async () => {
    await scene.visit(VIEW);
    await scene.table('Pages');
    clicks = 0;
    await press('Tell me when: Page views', 'link');
    await person.shows('New alert');
    await person.reads('Page views of the last hour more than 50 % below the usual');
    await person.reads('Browser is Firefox');
    await person.reads('it would have told you nothing');
    await person.choose('Condition', 'above');
    await number('threshold', '3');
    await person.reads('Page views of the last hour above 3');
    await person.reads('it would have told you once');
    expect(await scene.console.faults('alert-new')).toEqual([]);
    await scene.console.as(1_280, 'light');
    await press('On-call', 'checkbox');
    await press('Create the alert');
    await person.reads('The alert is created');
    expect(clicks).toBe(3);
    expect(documentAt('docs/console.md').text).toContain('three clicks');
    expect(await alerts()).toMatchObject([
      {
        websiteId: scene.console.owner.websiteId,
        figure: 'pageviews',
        filters: [FIREFOX],
        window: { minutes: 60 },
        compare: 'above',
        threshold: 3,
        percent: null,
        minimum: null,
        destinationIds: [destinationId],
      },
    ]);
  });

  it('are tried by other numbers without asking again, as the api tries them', async () => {
    await scene.visit(VIEW);
    await scene.table('Pages');
    await person.press('Tell me when: Page views', 'link');
    await person.reads('it would have told you nothing');
    await person.choose('Condition', 'above');
    const asked: string[] = [];
    const listen = (request: HTTPRequest) => {
      if (request.url().endsWith('/v1/alerts/trial')) asked.push(request.url());
    };
    page().on('request', listen);
    for (const threshold of [0, 2, 6, 7]) {
      await number('threshold', String(threshold));
      await person.reads(`Page views of the last hour above ${threshold}`);
      const told = (await tried({ compare: 'above', threshold })).filter(({ outcome }) => outcome === 'fired');
      const often = told.length === 0 ? 'nothing' : told.length === 1 ? 'once' : `${told.length} times`;
      await person.reads(`it would have told you ${often}`);
    }
    await person.choose('Condition', 'silence');
    const silent = (await tried({ compare: 'silence' })).filter(({ outcome }) => outcome === 'fired');
    await person.reads(silent.length === 1 ? 'told you once' : `told you ${silent.length} times`);
    page().off('request', listen);
    expect(asked).toEqual([]);
  });

  it('are refused with what is wrong at its field', async () => {
    await scene.visit(VIEW);
    await person.press('Tell me when: Visitors', 'link');
    await person.reads('Visitors of the last hour');
    await number('percent', '150');
    await person.press('Create the alert');
    expect(await person.fault('percent')).toContain('below 100');
    expect(refusedIn(scene.console)).toEqual([400]);
  });

  it('have bells on goals, errors, vitals and links', async () => {
    const goal = await create('/v1/goals', {
      websiteId: scene.console.owner.websiteId,
      name: MARKUP,
      condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/thanks' }] },
    });
    const link = await create('/v1/links', { name: 'Poster', targetUrl: 'https://example.com/' });
    for (const [path, bell, said] of [
      [`/goals${VIEW}`, MARKUP, `Conversions of ${MARKUP} of the last day`],
      [`/goals/${goal}${VIEW}`, 'Conversions', `Conversions of ${MARKUP} of the last day`],
      [`/errors${VIEW}`, 'Errors', 'Errors of the last hour more than 50 % above the usual'],
      [`/vitals${VIEW}`, 'LCP', 'LCP (p75) of the last day above 4000 ms'],
      [`/events${VIEW}`, 'Custom events', 'Custom events of the last hour'],
    ] as const) {
      await scene.visit(path);
      await person.press(`Tell me when: ${bell}`, 'link');
      await person.shows('New alert');
      await person.reads(said);
      await person.reads('Browser is Firefox');
    }
    await scene.console.visit(`/organizations/${scene.console.owner.organizationId}/links/${link}?preset=last_7d`);
    await person.press('Tell me when: Clicks', 'link');
    await person.reads('Clicks of the last hour more than 50 % below the usual');
  });

  it('say in a list how they are, and what they told last; charts are marked with it', async () => {
    const [alert] = await alerts();
    const id = String(alert?.['id']);
    const { organizationId, websiteId } = scene.console.owner;
    const of = { organizationId, websiteId, revision: 1 };
    await scene.console.projector.send(id, [
      alertDecided(id, NOON, { ...of, figure: 7 }),
      alertDecided(id, NOON + HOUR_MS, { ...of, figure: 0, outcome: 'over' }),
    ]);
    await scene.console.visit(`/organizations/${organizationId}/alerts`);
    await person.shows('Alerts');
    await person.reads('Page views of the last hour above 3');
    expect(await scene.console.faults('alerts')).toEqual([]);
    await scene.console.as(1_280, 'light');
    await page().locator('tbody a').click();
    await person.reads('it would have told you once');
    await person.reads('Today');
    expect(await scene.console.faults('alert')).toEqual([]);
    await scene.console.as(1_280, 'light');
    await scene.visit(`?from=${SHOP_DAY}&to=${SHOP_DAY}`);
    await page().locator('.chart-notes:not([open]) summary').click();
    await person.reads(/Alert\s*Page views of the last hour above 3.*: 7/);
    await page().focus('.chart-plot');
    await page().keyboard.press('Home');
    for (let hour = 0; hour < 13; hour++) await page().keyboard.press('ArrowRight');
    await scene.until(`document.querySelector('.chart-reading').textContent.includes(': 7')`);
    await scene.visit(`?from=${SHOP_DAY}&to=${SHOP_DAY}`);
    await page().locator('.chart-notes:not([open]) summary').click();
    expect(await scene.console.faults('alert-marked')).toEqual([]);
  });

  it('are paused, resumed, changed and deleted', async () => {
    await scene.console.as(1_280, 'light');
    await scene.console.visit(`/organizations/${scene.console.owner.organizationId}/alerts`);
    await page().locator('tbody a').click();
    await person.press('Pause');
    await person.reads('The alert is paused');
    await person.press('Resume');
    await person.reads('The alert is resumed');
    await person.fill('Name', MARKUP);
    await person.press('Save the alert');
    await person.shows(MARKUP);
    await person.press('Delete');
    await page().waitForSelector('dialog[open]');
    await page().locator('dialog .danger').click();
    await person.reads('No alerts yet');
    expect(await scene.console.faults('no-alerts')).toEqual([]);
  });

  it('are in no share', async () => {
    await create('/v1/alerts', { ...rule(), name: 'Secret alert' });
    const { websiteId } = scene.console.owner;
    const share = await post('/v1/shares', { websiteId, name: 'Board' });
    const context = await scene.console.browser.createBrowserContext();
    const viewer = await context.newPage();
    await viewer.goto(`${String(share['url'])}?${RANGE}`);
    await viewer.waitForSelector('.figures .figure-value');
    const shown = String(await viewer.evaluate('document.body.innerHTML'));
    expect(shown).not.toMatch(/Tell me when|alert/i);
    await context.close();
  });

  afterEach(() => expect(scene.console.errors.splice(0)).toEqual([]));

  let scene: WebsiteScene;
  let person: Person;
  let destinationId: string;
  /** Since a figure was looked at. */
  let clicks = 0;
  const page = () => scene.console.page;

  const press: Person['press'] = (...what) => {
    clicks++;
    return person.press(...what);
  };

  /** Types into a field of numbers. */
  const number = async (name: string, text: string) => {
    await page().locator(`[name=${name}]`).fill(text);
  };

  const rule = () => ({
    websiteId: scene.console.owner.websiteId,
    name: 'Trial',
    figure: 'pageviews',
    filters: [FIREFOX],
    window: { minutes: 60 },
    compare: 'above',
    threshold: 1,
  });

  async function post(path: string, body: object) {
    const { organizationId, headers } = scene.console.owner;
    return (await ok(scene.console.api, `POST ${path}`, { body: { organizationId, ...body }, headers })).body;
  }

  const create = async (path: string, body: object) => String((await post(path, body))['id']);

  /** What the api says that a rule would have told. */
  const tried = async (numbers: object) =>
    (await post('/v1/alerts/trial', { ...rule(), threshold: null, ...numbers }))['told'] as { outcome: string }[];

  async function alerts(): Promise<readonly Record<string, unknown>[]> {
    const { organizationId, headers } = scene.console.owner;
    const answer = await ask(scene.console.api, `GET /v1/alerts?organizationId=${organizationId}`, { headers });
    return answer.body.data as Record<string, unknown>[];
  }

  beforeAll(async () => {
    scene = await WebsiteScene.open({ timezone: 'UTC' });
    person = new Person(scene.console.page);
    await sendShopVisits(scene);
    const hook = { kind: 'webhook', url: 'https://hooks.example.com/alerts', sends: [] };
    await create('/v1/destinations', { ...hook, name: 'Board' });
    destinationId = await create('/v1/destinations', { ...hook, name: 'On-call' });
    await scene.console.as(1_280, 'light');
    await scene.console.visit('/sign-in');
    await scene.console.signIn();
    await scene.console.shows('Websites');
  }, 120_000);
  afterAll(() => scene.close());
});
