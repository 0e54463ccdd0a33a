import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';

/** The published client, unmodified, in a process of its own: it is an ES module, which jest would compile. */
describe('the Node client of @databuddy/sdk', () => {
  let tracker: RunningTracker;
  let answers: Readonly<Record<string, { readonly success: boolean }>>;

  beforeAll(async () => {
    tracker = await startTracker();
    await tracker.registerWebsite('site_1');
    const key = await tracker.createKey('key_1', { scopes: ['track:events'] });
    await tracker.app.listen(0, '127.0.0.1');
    const env = { PATH: process.env.PATH, API_URL: await tracker.app.getUrl(), API_KEY: key };
    const script = join(__dirname, 'databuddy-node.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
    answers = JSON.parse(stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '') as typeof answers;
  });
  afterAll(() => tracker.stop());

  it('takes every answer for a success, but that to a wrong key', () => {
    expect(Object.entries(answers).map(([call, { success }]) => [call, success])).toEqual([
      ['single', true],
      ['flushed', true],
      ['identified', true],
      ['refused', false],
    ]);
  });

  it('sends one event, of a server without a visitor', async () => {
    expect(await named('single')).toMatchObject([{ data: { websiteId: 'site_1', visitorId: null } }]);
  });

  it('sends a batch with its global properties', async () => {
    const batched = await named('batched');
    expect(batched).toHaveLength(3);
    for (const { data } of batched)
      expect(data).toMatchObject({ source: 'backend', namespace: 'jobs', properties: { region: 'eu' } });
    expect(new Set(batched.map(({ data }) => data.visitorId)).size).toBe(1);
  });

  it('identifies a visitor', async () => {
    const identified = (await tracker.recorded()).filter(({ type }) => type === 'VisitorIdentified');
    expect(identified).toHaveLength(1);
  });

  it('stores nothing of a wrong key', async () => {
    expect(await named('refused')).toEqual([]);
  });

  const named = async (name: string) =>
    (await tracker.recorded()).flatMap((event) =>
      event.type === 'CustomEventTracked' && event.data.name === name ? [event] : [],
    );
});
