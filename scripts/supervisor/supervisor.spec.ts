import { fork } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { type Runtime, isAlive, runtimeFile } from '@ledgerline/platform/config/runtime-file';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { answering, compiled, testPrograms, working } from '@test/processes/test-programs';
import { waitUntil } from '@test/wait-until';
import { proxyTo } from '../../test/network/breakable-proxy';
import { freePort } from '../../test/network/free-port';
import { checkVariables, embeddedVariables } from './environment';
import { newSecrets } from './secrets';
import { openDataDirectory } from './start';
import { Supervisor } from './supervisor';

let database: TestDatabase;
beforeAll(async () => (database = await createTestDatabase({ migrated: false })));
afterAll(() => database.drop());

describe('the supervisor', () => {
  it('starts the apps on a migrated database and tells the tools where it is', async () => {
    const { supervisor, dataDir, diary } = await supervisorOfTestPrograms();
    await supervisor.start();
    const runtime = JSON.parse(readFileSync(runtimeFile(dataDir), 'utf8')) as Runtime;
    expect(runtime).toMatchObject({ databaseUrl: database.url, pids: { supervisor: process.pid } });
    expect(statSync(runtimeFile(dataDir)).mode & 0o777).toBe(0o600);
    expect(diary().sort()).toEqual(['api starts', 'projector starts', 'tracker starts']);
    await supervisor.stop();
  });

  it('drains the tracker first, then the api, then the projector', async () => {
    const { supervisor, dataDir, diary } = await supervisorOfTestPrograms();
    await supervisor.start();
    await waitUntil(() => diary().length === 3);
    await supervisor.stop();
    expect(diary().slice(3)).toEqual(['tracker drained', 'api drained', 'projector drained']);
    expect(existsSync(runtimeFile(dataDir))).toBe(false);
  });

  it('starts an app again that was killed, while the others go on', async () => {
    const { supervisor, dataDir, diary, said } = await supervisorOfTestPrograms();
    await supervisor.start();
    const before = pidsIn(dataDir);
    process.kill(before.tracker!, 'SIGKILL');
    await waitUntil(() => diary().filter((line) => line === 'tracker starts').length === 2);
    expect(pidsIn(dataDir)).toEqual({
      ...before,
      tracker: expect.not.stringMatching(String(before.tracker)) as number,
    });
    expect(said).toEqual(['tracker ended unexpectedly (SIGKILL); restarting it.']);
    await supervisor.stop();
  });

  it('goes on with the others while one is killed again and again, and starts it again each time', async () => {
    const { supervisor, dataDir, diary, said } = await supervisorOfTestPrograms();
    await supervisor.start();
    const { api, tracker } = pidsIn(dataDir);
    for (let kills = 1; kills <= 7; kills++) {
      await waitUntil(() => diary().filter((line) => line === 'projector starts').length === kills);
      process.kill(pidsIn(dataDir).projector!, 'SIGKILL');
    }
    await waitUntil(() => diary().filter((line) => line === 'projector starts').length === 8);
    expect(pidsIn(dataDir)).toMatchObject({ api, tracker });
    expect(diary().filter((line) => !line.startsWith('projector'))).toHaveLength(2);
    expect(said).toHaveLength(7);
    expect(said.at(-1)).toBe('projector ended unexpectedly (SIGKILL); restarting it.');
    await supervisor.stop();
  });

  it('fails with what an app said that does not start', async () => {
    const { supervisor, diary } = await supervisorOfTestPrograms({
      api: `
        const whenAllRun = setInterval(() => {
          if (!noted('tracker starts')) return;
          console.error('The moon is full.');
          process.exit(1);
        }, 20);`,
    });
    await expect(supervisor.start()).rejects.toThrow('api does not start (exit code 1): The moon is full.');
    await supervisor.stop();
    expect(diary()).toContain('tracker drained');
  });

  it('waits for a database of one’s own that is away, and answers 503 meanwhile', async () => {
    const url = new URL(database.url);
    const proxy = await proxyTo(url.hostname, Number(url.port));
    url.port = String(proxy.port);
    await proxy.refuse();
    const { supervisor, said, diary, ports } = await supervisorOfTestPrograms({}, url.href);
    const started = supervisor.start();
    const statuses = () =>
      Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/v1/links`)).status));
    expect(await waitUntil(() => statuses().catch(() => undefined))).toEqual([503, 503]);
    expect(diary()).toEqual([]);
    await proxy.mend();
    await started;
    expect(said).toEqual([expect.stringMatching(/^The database is away/), 'The database is there.']);
    expect(diary()).toHaveLength(3);
    await supervisor.stop();
    await proxy.close();
  });

  it('can be stopped while it waits for a database', async () => {
    const { supervisor, said } = await supervisorOfTestPrograms({}, 'postgres://nobody@127.0.0.1:1/none');
    const started = supervisor.start();
    await waitUntil(() => said.length > 0);
    await supervisor.stop();
    await started;
  });

  it('can be stopped while it starts', async () => {
    const { supervisor, diary } = await supervisorOfTestPrograms({
      api: 'setInterval(() => 0, 1000); note("api hangs")',
    });
    const started = supervisor.start();
    await waitUntil(() => diary().includes('api hangs'));
    await supervisor.stop();
    await started;
  });

  it('stops at once when it is hurried', async () => {
    const { supervisor, diary } = await supervisorOfTestPrograms({
      projector: `process.on('SIGTERM', () => note('projector heard')); setInterval(() => 0, 1000); note('projector starts'); process.send('ready')`,
    });
    await supervisor.start();
    await waitUntil(() => diary().includes('projector starts'));
    const stopped = supervisor.stop();
    await waitUntil(() => diary().includes('projector heard'));
    supervisor.hurry();
    await stopped;
  });
});

describe('an app', () => {
  it('drains and leaves when its supervisor is killed', async () => {
    const { folder, program, diary } = testPrograms(temporaryFolder('supervisor'));
    const app = program('app', `${working('app')}; note(String(process.pid));`);
    const preload = compiled(folder, 'scripts/supervisor/leave-with-parent.ts');
    const options = `{ detached: true, execArgv: ['--require', ${JSON.stringify(preload)}], stdio: 'ignore' }`;
    const source = `require('node:child_process').fork(${JSON.stringify(app)}, ${options.replace(`'ignore'`, `['ignore', 'ignore', 'ignore', 'ipc']`)})`;
    const supervisor = fork(program('supervisor', source), { execArgv: [] });
    const pid = await waitUntil(() =>
      diary()
        .map(Number)
        .find((number) => number > 0),
    );
    supervisor.kill('SIGKILL');
    await waitUntil(() => !isAlive(pid));
    expect(diary()).toContain('app drained');
  });
});

async function supervisorOfTestPrograms(
  sources: Partial<Record<'api' | 'tracker' | 'projector', string>> = {},
  databaseUrl = database.url,
) {
  const { folder, program, diary } = testPrograms(temporaryFolder('supervisor'));
  const apiPort = await freePort();
  const trackerPort = await freePort();
  const dataDir = `${folder}/data`;
  const env = {
    PATH: process.env.PATH,
    ...embeddedVariables(databaseUrl, newSecrets()),
    API_PORT: String(apiPort),
    TRACKER_PORT: String(trackerPort),
    LISTEN_ADDRESS: '127.0.0.1',
    LEDGERLINE_DEMO: '0',
    DATA_DIR: dataDir,
  };
  openDataDirectory(dataDir);
  const programs = {
    api: program('api', sources.api ?? answering('api', apiPort)),
    tracker: program('tracker', sources.tracker ?? answering('tracker', trackerPort)),
    projector: program('projector', sources.projector ?? working('projector')),
    postgresHost: '/not/used',
    policy: { delaysMs: [10], attemptsBeforeFirstReady: 2 },
    preload: compiled(folder, 'scripts/supervisor/leave-with-parent.ts'),
  };
  const said: string[] = [];
  const supervisor = new Supervisor(env, checkVariables(env), programs, (line) => void said.push(line));
  return { supervisor, dataDir, diary, said, ports: [apiPort, trackerPort] };
}

const pidsIn = (dataDir: string) => (JSON.parse(readFileSync(runtimeFile(dataDir), 'utf8')) as Runtime).pids;
