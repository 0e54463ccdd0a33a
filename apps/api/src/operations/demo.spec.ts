import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { ask } from '@test/api/ask';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { appendOneByOne } from '@test/event-store/append-one-by-one';
import { Accounts } from '../identity/accounts/accounts';
import { EVENT_STORE, POOL } from '../tokens';
import { Demo, DemoCommands } from './demo';

describe('the demo of the first start', () => {
  it('is written for its owner alone, and all of it works', async () => {
    const firstRun = (await demo().createIfFirst())!;
    const file = join(api.settings.dataDir, 'first-run.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(firstRun);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(firstRun).toMatchObject({ apiUrl: 'http://localhost:3000', shortUrl: 'http://localhost:3001/demo' });
    const asked = await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': firstRun.apiKey } });
    expect(asked.body).toMatchObject({ websites: [{ id: firstRun.websiteId, domain: 'example.com' }] });
    const signedIn = await ask(api, 'POST /v1/auth/sign-in/email', { body: firstRun.owner });
    expect(signedIn.status).toBe(200);
    expect(await mayReadFigures(signedIn)).toBe(true);
  });

  it('is not made a second time', async () => {
    await demo().createIfFirst();
    expect(await demo().createIfFirst()).toBeUndefined();
    expect(await types()).toEqual(EVENTS);
  });

  it('belongs to an operator also if an earlier version created it', async () => {
    const { owner } = (await demo().createIfFirst())!;
    await api.app.get<Pool>(POOL).query('update auth."user" set "isDemoOwner" = false');
    const signedIn = await ask(api, 'POST /v1/auth/sign-in/email', { body: owner });
    expect(await mayReadFigures(signedIn)).toBe(false);
    await demo().createIfFirst();
    expect(await mayReadFigures(signedIn)).toBe(true);
  });

  it('can be used where new accounts have to verify their address', async () => {
    await api.close();
    api = await startTestApi({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'stats@example.com', SIGN_UP: 'closed' });
    const { owner } = (await demo().createIfFirst())!;
    const signedIn = await ask(api, 'POST /v1/auth/sign-in/email', { body: owner });
    expect([signedIn.status, await mayReadFigures(signedIn)]).toEqual([200, true]);
  });

  it('is made by one of two processes that start at once, each with files of its own', async () => {
    const settings = { ...api.settings, dataDir: join(api.settings.dataDir, 'other') };
    const other = new Demo(
      settings,
      store(),
      api.app.get(DemoCommands),
      api.app.get(Accounts),
      api.app.get<Pool>(POOL),
    );
    const made = await Promise.all([demo().createIfFirst(), other.createIfFirst()]);
    expect(made.filter((firstRun) => firstRun !== undefined)).toHaveLength(1);
    expect(await types()).toEqual(EVENTS);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'is finished without doubles after a crash that let %i events through',
    async (count) => {
      const recover = appendOneByOne(store(), async () => {
        if ((await types()).length >= count) throw new Error('crashed');
      });
      await expect(demo().createIfFirst()).rejects.toThrow('crashed');
      recover();
      expect(await types()).toHaveLength(count);
      const firstRun = (await demo().createIfFirst())!;
      expect(await types()).toEqual(EVENTS);
      expect((await ask(api, 'GET /v1/query/websites', { headers: { 'x-api-key': firstRun.apiKey } })).status).toBe(
        200,
      );
      expect(await readdir(api.settings.dataDir)).toEqual(['first-run.json']);
    },
  );

  it('comes out the same when the crash came after everything but the last step', async () => {
    const plan = join(api.settings.dataDir, 'first-run.pending.json');
    const remembered = (await demo().createIfFirst())!;
    const { email, password } = remembered.owner;
    await writeFile(plan, JSON.stringify({ email, password, secret: remembered.apiKey }));
    expect(await demo().createIfFirst()).toEqual(remembered);
    expect(await types()).toEqual(EVENTS);
  });
});

const EVENTS = [
  ...['OrganizationCreated', 'WebsiteRegistered', 'SlugReserved', 'LinkCreated', 'ApiKeyCreated'],
  ...['GoalCreated', 'FunnelCreated', 'AnnotationCreated'],
];

const mayReadFigures = async ({ cookies }: { readonly cookies: readonly string[] }) => {
  const headers = { cookie: cookies.map((each) => each.split(';')[0]).join('; ') };
  return (await ask(api, 'GET /v1/projections', { headers })).status === 200;
};

let api: TestApi;
const demo = () => api.app.get(Demo);
const store = () => api.app.get<EventStore>(EVENT_STORE);
const types = async () => (await store().read(0, '', { max: 100 })).events.map(({ type }) => type);

beforeEach(async () => void (api = await startTestApi()));
afterEach(() => api.close());
