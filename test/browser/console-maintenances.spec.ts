import { created } from '../access/cast';
import { ask } from '../api/ask';
import { describeInChromium } from './chromium';
import { ConsoleScene } from './console-scene';
import { Person, refusedIn } from './person';

describeInChromium('maintenances in the console', () => {
  it('are planned to repeat, in a sentence that says when', async () => {
    await person.press('Plan a maintenance');
    await person.fill('Title', 'New disks');
    await person.fill('Message', 'We change disks.');
    await person.choose('Repeats', 'week');
    await person.reads(/Every Sunday 02:00–03:00, \S+/);
    await person.press('Tuesday', 'checkbox');
    await person.press('Thursday', 'checkbox');
    await person.press('Sunday', 'checkbox');
    await fill('timezone', 'Europe/Nowhere');
    await fill('from', '2090-01-01');
    await person.reads('Every Tuesday and Thursday 02:00–03:00, Europe/Nowhere.');
    expect(await scene.faults('repeats')).toEqual([]);
    await person.press('Publish');
    expect(await person.fault('timezone')).toContain('Must be a time zone such as Europe/Berlin.');
    expect(refusedIn(scene)).toEqual([400]);
    await fill('timezone', 'Europe/Berlin');
    await person.press('Publish');
    await person.reads('Next:');
    expect(await scene.faults('planned')).toEqual([]);
    expect(await planned()).toMatchObject({
      repeats: 'Every Tuesday and Thursday 02:00–03:00, Europe/Berlin',
      occurrence: { day: '2090-01-03' },
    });
  });

  it('are called off once, changed, and ended', async () => {
    await person.press('Call off the next: New disks');
    await person.reads(/Only (3 Jan|Jan 3,) 2090/);
    await person.fill('Message', 'Not needed.');
    await person.press('Publish');
    await person.reads(/of (3 Jan|Jan 3,) 2090/);
    expect(await planned()).toMatchObject({ resolvedAt: null, occurrence: { day: '2090-01-05' } });
    await person.press('Change New disks');
    await person.choose('Repeats', 'month');
    await fill('durationMinutes', '90');
    await person.reads('Every month on the last day, 02:00–03:30, Europe/Berlin.');
    await person.press('Save');
    await person.misses('Thursday');
    expect(await planned()).toMatchObject({ occurrence: { day: '2090-01-31' }, repeat: { durationMinutes: 90 } });
    await person.press('End the series: New disks');
    await person.fill('Message', 'All are new.');
    await person.press('Publish');
    await person.reads('All are new.');
    await person.reads('Over');
    expect(await planned()).toMatchObject({ occurrence: null, resolvedAt: expect.any(String) as string });
  });

  let scene: ConsoleScene;
  let person: Person;
  let page: string;

  const fill = (name: string, text: string) => scene.page.locator(`dialog [name=${name}]`).fill(text);

  const planned = async () => {
    const { body } = await ask(scene.api, `GET /v1/status-pages/${page}/incidents`, { headers: scene.owner.headers });
    return (body.data as object[])[0];
  };

  afterEach(() => expect(scene.errors.splice(0)).toEqual([]));

  beforeAll(async () => {
    scene = await ConsoleScene.open();
    const { organizationId, headers } = scene.owner;
    const body = { organizationId, slug: 'example-shop', name: 'Example Shop' };
    page = await created(scene.api, 'POST /v1/status-pages', body, headers);
    person = new Person(scene.page);
    await scene.as(1_280, 'light');
    await scene.visit('/');
    await scene.signIn();
    await scene.shows('Websites');
    await scene.visit(`/organizations/${organizationId}/status-pages/${page}`);
    await person.shows('Example Shop');
  }, 120_000);

  afterAll(() => scene.close());
});
