import { projections } from '../../scripts/projections/projections';
import { ask } from '../api/ask';
import { pageView } from '../events/observed-events';
import { describeInChromium } from './chromium';
import { ConsoleScene } from './console-scene';
import { Person } from './person';

const DAY_MS = 86_400_000;

describeInChromium('the retention of a website', () => {
  it('is saved once its owner has seen what goes and what stays', async () => {
    const { owner, projector, api } = scene;
    const { websiteId, organizationId, headers } = owner;
    const now = Date.now();
    await projector.send(
      websiteId,
      [400, 300, 1].map((days) => pageView(now - days * DAY_MS, { websiteId })),
    );
    await scene.visit(`/organizations/${organizationId}/websites/${websiteId}/settings`);
    await scene.signIn();
    await scene.shows('Settings of Shop');
    await person.fill('Days for which sessions and events are kept', '90');
    await person.press('Show what goes');
    await person.reads(/Before \d{4}-\d\d-\d\d: 2 sessions with 2 events go/);
    await person.reads(/\d+ reports answer as before/);
    expect(await scene.faults('retention')).toEqual([]);
    const kept = async () => (await ask(api, `GET /v1/websites/${websiteId}`, { headers })).body['retentionDays'];
    expect(await kept()).toBeNull();
    await person.press('Save');
    await person.reads('The retention is saved');
    expect(await kept()).toBe(90);
    await person.fill('Days for which sessions and events are kept', '');
    await person.press('Show what goes');
    await person.reads('Keep everything?');
    await person.press('Save');
    await person.misses('Keep everything?');
    expect(await kept()).toBeNull();
    expect(scene.errors).toEqual([]);
  });

  it('is no matter of a past moment that is kept, which every page of a website says that it shows', async () => {
    const { websiteId, organizationId } = scene.owner;
    const { databaseUrl, dataDir } = scene.api.settings;
    const variables = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
    await projections(['snapshot', 'before'], variables);
    await scene.visit(`/organizations/${organizationId}/websites/${websiteId}?snapshot=before`);
    await person.reads(/The snapshot "before" has what had arrived by/);
    expect(await scene.faults('snapshot')).toEqual([]);
    await person.press('Sources', 'link');
    await scene.shows('Sources');
    await person.reads(/The snapshot "before" has what had arrived by/);
    expect(scene.errors).toEqual([]);
    await projections(['drop-snapshot', 'before'], variables);
  });

  let scene: ConsoleScene;
  let person: Person;

  beforeAll(async () => {
    scene = await ConsoleScene.open();
    person = new Person(scene.page);
    await scene.as(1_280, 'light');
  }, 120_000);

  afterAll(() => scene.close());
});
