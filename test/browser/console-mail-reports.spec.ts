import { lastReportPeriod } from '@ledgerline/domain/reports/report-period';
import { ask } from '../api/ask';
import { pageView } from '../events/observed-events';
import { waitUntil } from '../wait-until';
import { describeInChromium } from './chromium';
import { ConsoleScene } from './console-scene';
import { Person } from './person';

describeInChromium('reports in the console', () => {
  it('are three clicks from any page, and shown as the mail that is sent', async () => {
    await create('/v1/destinations', { name: 'Board', kind: 'webhook', url: 'https://hooks.invalid/' });
    await scene.visit(`/organizations/${scene.owner.organizationId}/websites`);
    await scene.shows('Websites');
    clicks = 0;
    await press('Reports', 'link');
    await scene.shows('Reports');
    expect(await scene.faults('mail-reports-none')).toEqual([]);
    await scene.as(1_280, 'light');
    await press('New report', 'link');
    await scene.shows('New report');
    expect(await scene.faults('mail-report-new')).toEqual([]);
    await scene.as(1_280, 'light');
    await press('Create the report');
    await scene.shows('Weekly figures');
    expect(clicks).toBe(3);
    const mail = await waitUntil(async () => {
      const text = String(await preview()?.evaluate('document.body?.innerText'));
      return text.includes('Figures as of') ? text : undefined;
    });
    const isWhole = 'document.documentElement.scrollHeight === innerHeight';
    await waitUntil(async () => (await preview()?.evaluate(isWhole)) === true);
    expect(mail).toContain('Shop');
    expect(mail).toMatch(/Visitors\s+1\s+new/);
    expect(mail).toContain('/pricing');
    expect(await scene.faults('mail-report')).toEqual([]);
  });

  it('are changed and paused', async () => {
    await scene.as(1_280, 'light');
    await person.press('Only some', 'radio');
    await person.press('Save the report');
    await person.reads('The report is saved');
    await person.reads('1 website');
    await person.press('Pause');
    await person.reads('Weekly figures is paused');
    await person.press('Reports', 'link');
    await person.reads('Paused');
    expect(await scene.faults('mail-reports')).toEqual([]);
  });
});

let scene: ConsoleScene;
let person: Person;
let clicks = 0;

const preview = () => scene.page.frames().find((each) => each.url().endsWith('/preview'));

const press = async (...of: Parameters<Person['press']>) => {
  clicks++;
  await person.press(...of);
};

const create = async (path: string, body: object): Promise<void> => {
  const { organizationId, headers } = scene.owner;
  await ask(scene.api, `POST ${path}`, { body: { organizationId, ...body }, headers });
};

/** The checks of accessibility call into the frame of the mail, which runs nothing. */
const isOfFrame = (error: string) => error.includes('postMessage');

afterEach(() => expect(scene.errors.splice(0).filter((error) => !isOfFrame(error))).toEqual([]));

beforeAll(async () => {
  scene = await ConsoleScene.open();
  person = new Person(scene.page);
  const { organizationId, websiteId } = scene.owner;
  const { until } = lastReportPeriod({ period: 'week', timezone: 'UTC' }, Date.now());
  await scene.projector.send(websiteId, [
    pageView(until - 2 * 86_400_000, { organizationId, websiteId, path: '/pricing' }),
  ]);
  await scene.as(1_280, 'light');
  await scene.visit('/');
  await scene.signIn();
  await scene.shows('Websites');
}, 120_000);

afterAll(() => scene.close());
