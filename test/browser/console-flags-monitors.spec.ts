import type { INestApplicationContext } from '@nestjs/common';
import { ask } from '../api/ask';
import { startHttpServer, type HttpServer } from '../monitors/http-server';
import { startProjector } from '../read-stores/store-product';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { ConsoleScene } from './console-scene';
import { Person, refusedIn } from './person';

const MARKUP = '<img src=x onerror=alert(1)>';

describeInChromium('flags in the console', () => {
  it('are created, with what is wrong shown at its field', async () => {
    await open('flags');
    await person.reads('No flags yet');
    await person.press('New flag', 'link');
    await person.fill('Name', MARKUP);
    await person.fill('Key', 'new checkout');
    await person.fill('Payload', '{no json');
    await person.press('Create the flag');
    expect(await person.fault('payload')).toContain('Must be JSON');
    await person.fill('Payload', '{"colour": "blue"}');
    await person.press('Create the flag');
    expect(await person.fault('key')).toContain('Must be');
    expect(refused()).toEqual([400]);
    await person.fill('Key', 'new-checkout');
    await person.choose('Type', 'rollout');
    await person.fill('Rollout (%)', '120');
    await person.press('Add a rule');
    await person.press('Create the flag');
    expect(await person.fault('percentage')).toBe('Must be a number from 0 to 100.');
    await person.reads('Must hold at least one value.');
    expect(refused()).toEqual([400]);
    await person.fill('Rollout (%)', '0');
    await person.fill('Values', '@example.com');
    await person.press('Create the flag');
    await person.shows(MARKUP);
    expect(await scene.page.$('img')).toBeNull();
  });

  it('are in force for clients, and tried out as clients get them', async () => {
    expect(await evaluated('ada@example.com')).toMatchObject({ enabled: true, payload: { colour: 'blue' } });
    expect(await evaluated('ada@example.org')).toMatchObject({ enabled: false });
    await person.fill('Email', 'ada@example.com');
    await person.press('Evaluate');
    await person.reads('A rule matched.');
    await person.fill('Email', 'ada@example.org');
    await person.fill('User id', 'customer-7');
    await person.press('Evaluate');
    await person.reads('Outside the share of the rollout');
    await person.fill('Properties', 'no object');
    await person.press('Evaluate');
    expect(await person.fault('properties')).toContain('JSON object');
    expect(refused()).toEqual([400]);
  });

  it('are changed: a larger share, and archived', async () => {
    await person.fill('Rollout (%)', '100');
    await person.press('Save the flag');
    await person.reads('100 % of people, 1 rule');
    expect(await evaluated('ada@example.org')).toMatchObject({ enabled: true, reason: 'ROLLOUT_ENABLED' });
    await person.press('Archive');
    await person.reads('The flag is archived');
    expect(await evaluated('ada@example.com')).toMatchObject({ reason: 'FLAG_NOT_FOUND' });
    await person.press('Flags', 'link');
    await person.reads('No flag matches');
    await person.choose('Status', 'archived');
    await person.press(MARKUP, 'link');
    await person.press('Activate');
    await person.reads('The flag is active');
  });

  it('have several conditions in a rule, a share of it, and a state in an environment', async () => {
    const second = '[aria-label="Condition 2 of rule 1"]';
    await person.press('Add a condition to rule 1');
    await scene.page.locator(`${second} input`).fill('properties.seats');
    await (await scene.page.waitForSelector(`${second} select`))?.select('semver_gte');
    await scene.page.locator(`${second} textarea`).fill('5');
    await person.press('Save the flag');
    await person.reads('Must hold one version such as 2.10.0.');
    expect(refused()).toEqual([400]);
    await (await scene.page.waitForSelector(`${second} select`))?.select('gte');
    await person.fill('Rollout of the rule (%)', '100');
    await person.press('Add an environment');
    await person.fill('Name of environment 1', 'live');
    await person.press('Save the flag');
    await person.reads('live: inactive');
    const seats = (count: number) => ({ properties: JSON.stringify({ seats: count }) });
    expect(await evaluated('ada@example.com', seats(4))).toMatchObject({ reason: 'ROLLOUT_ENABLED' });
    expect(await evaluated('ada@example.com', seats(7))).toMatchObject({ reason: 'USER_RULE_MATCH' });
    expect(await evaluated('ada@example.com', { environment: 'live' })).toMatchObject({ reason: 'FLAG_NOT_FOUND' });
    expect(await scene.faults('flag-with-conditions')).toEqual([]);
  });

  it('have variants', async () => {
    await open('flags/new');
    await person.fill('Name', 'Colour');
    await person.fill('Key', 'colour');
    await person.choose('Type', 'multivariant');
    await person.press('Create the flag');
    await person.shows('Colour');
    await person.reads('2 variants');
  });

  const evaluated = async (email: string, more: Readonly<Record<string, string>> = {}) => {
    const named = { clientId: scene.owner.websiteId, key: 'new-checkout', userId: 'u', email };
    const who = new URLSearchParams({ ...named, ...more });
    return (await ask(scene.api, `GET /public/v1/flags/evaluate?${who.toString()}`)).body;
  };
});

describeInChromium('monitors in the console', () => {
  it('check an address from then on', async () => {
    await open('monitors/new');
    await person.fill('Name', 'Shop');
    await person.fill('URL', 'http://127.0.0.1:1/');
    await person.fill('Interval (seconds)', '5');
    await person.press('Create the monitor');
    expect(await person.fault('intervalSeconds')).toMatch(/30/);
    expect(refused()).toEqual([400]);
    await person.fill('Interval (seconds)', '30');
    await person.fill('URL', server.url);
    await person.fill('Headers', 'authorization: Bearer token');
    await person.press('Create the monitor');
    await person.shows('Shop');
    await person.reads('Not checked yet');
    await waitUntil(() => server.requests.some(({ headers }) => headers.authorization === 'Bearer token'));
    await waitUntil(async () => (await report()) === 'up');
    await open('monitors');
    await person.reads(/Shop\s+Up\s+http/);
    await person.press('Shop', 'link');
    await person.reads(/Uptime, 90 days\s+100 %/);
    await person.reads(/Checks\s+[1-9]/);
  });

  it('are paused, and checked again', async () => {
    await person.press('Pause');
    await person.reads('The monitor is paused');
    await person.press('Resume');
    await person.reads('The monitor is checked again');
  });

  const report = async () => {
    const { organizationId, headers } = scene.owner;
    const path = `GET /v1/monitors/status?organizationId=${organizationId}` as const;
    const { body } = await ask(scene.api, path, { headers });
    return (body.data as { currentStatus: string }[])[0]?.currentStatus;
  };
});

describeInChromium('status pages in the console', () => {
  it('are created with monitors, and found by everybody once they are public', async () => {
    await open('status-pages/new');
    await person.fill('Name', MARKUP);
    await person.fill('Slug', 'No Slug');
    await person.press('Shop', 'checkbox');
    await person.press('Create the status page');
    expect(await person.fault('slug')).toMatch(/Must be/);
    expect(refused()).toEqual([400]);
    await person.fill('Slug', 'example-shop');
    await person.press('Public', 'checkbox');
    await person.press('Create the status page');
    await person.shows(MARKUP);
    expect(await publicPage()).toContain('Shop');
  });

  it('report incidents, from the first message to the last', async () => {
    await person.press('Report an incident');
    expect(await scene.faults('report')).toEqual([]);
    await person.fill('Title', 'Orders fail');
    await person.fill('Message', 'We are looking.');
    await person.press('Shop', 'checkbox');
    await person.press('Publish');
    await person.reads('We are looking.');
    await person.press('Resolve Orders fail');
    await person.fill('Message', 'A disk was full.');
    await person.press('Publish');
    await person.reads('A disk was full.');
    expect(await incidents()).toMatchObject([
      { title: 'Orders fail', status: 'resolved', updates: [{ status: 'investigating' }, { status: 'resolved' }] },
    ]);
  });

  it('plan a maintenance', async () => {
    await person.press('Plan a maintenance');
    await person.fill('Title', 'New disks');
    await person.fill('Message', 'For two hours.');
    await setTime('startsAt', '2030-01-02T03:04');
    await setTime('endsAt', '2030-01-02T01:04');
    await person.press('Publish');
    await scene.page.waitForSelector('dialog :is([role=alert], [aria-invalid=true])');
    expect(refused()).toEqual([400]);
    await setTime('endsAt', '2030-01-02T05:04');
    await person.press('Publish');
    await person.reads('For two hours.');
  });

  const publicPage = async () => (await ask(scene.api, 'GET /status/example-shop')).text;
  const incidents = async () => (await ask(scene.api, 'GET /public/v1/status-pages/example-shop')).body.incidents;
  const setTime = (name: string, time: string) => scene.page.locator(`dialog [name=${name}]`).fill(time);
});

describeInChromium('the pages of flags, monitors, status pages and projections', () => {
  it.each([
    ['flags', 'Flags'],
    ['flags/new', 'New flag'],
    ['flags > tbody a', MARKUP],
    ['monitors', 'Monitors'],
    ['monitors/new', 'New monitor'],
    ['monitors > tbody a', 'Shop'],
    ['status-pages', 'Status pages'],
    ['status-pages/new', 'New status page'],
    ['status-pages > tbody a', MARKUP],
    ['projections', 'System health'],
  ])('%s fit every screen, for everybody', async (path, heading) => {
    const [list = '', link] = path.split(' > ');
    await scene.follow(`/organizations/${scene.owner.organizationId}/${list}`);
    if (link !== undefined) await scene.page.locator(link).click();
    await person.shows(heading);
    if (path === 'projections') await person.reads(/websites\s+In order/);
    expect(await scene.faults(path.replace(/\W+/g, '-'))).toEqual([]);
  });
});

describeInChromium('flags, monitors and status pages in the console', () => {
  it.each([
    ['flags', MARKUP, 'Colour'],
    ['monitors', 'Shop', 'No monitors yet'],
    ['status-pages', MARKUP, 'No status pages yet'],
  ])('%s are deleted once that is confirmed', async (path, name, left) => {
    await open(path);
    await person.press(name, 'link');
    await person.shows(name);
    await person.press('Delete');
    await scene.page.waitForSelector('dialog[open]');
    await person.press('Delete');
    await person.reads(left);
    await person.misses(name);
  });
});

let scene: ConsoleScene;
let person: Person;
let server: HttpServer;
let projector: INestApplicationContext;

const open = async (path: string) => {
  await scene.as(1_280, 'light');
  await scene.visit(`/organizations/${scene.owner.organizationId}/${path}`);
};

const refused = () => refusedIn(scene);

afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

beforeAll(async () => {
  server = await startHttpServer((_, reply) => reply.end('ok'));
  scene = await ConsoleScene.open({ MONITOR_ALLOW_PRIVATE: '1' });
  await scene.letOwnerOperate();
  projector = await startProjector(scene.api);
  person = new Person(scene.page);
  await scene.as(1_280, 'light');
  await scene.visit('/');
  await scene.signIn();
  await scene.shows('Websites');
}, 120_000);

afterAll(async () => {
  await projector.close();
  await scene.close();
  await server.close();
});
