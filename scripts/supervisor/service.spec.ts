import { fork } from 'node:child_process';
import { fakeOnly } from '@test/processes/fake-timers';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { testPrograms, working, type TestPrograms } from '@test/processes/test-programs';
import { waitUntil } from '@test/wait-until';
import { Service, type ServiceDescription } from './service';

const running: Service[] = [];
afterEach(() => {
  jest.useRealTimers();
  return Promise.all(running.splice(0).map((service) => service.stop()));
});

describe('a service', () => {
  it('is ready when it answers', async () => {
    let asked = 0;
    const service = serviceOf({ answers: () => Promise.resolve(++asked > 2) });
    void service.run();
    await service.whenReady();
    expect(asked).toBe(3);
  });

  it('is started again when it is killed, and says so', async () => {
    const deaths: string[] = [];
    const service = serviceOf({ onDeath: (how) => void deaths.push(how) });
    void service.run();
    const first = await waitUntil(() => service.pid);
    await service.whenReady();
    process.kill(first, 'SIGKILL');
    await waitUntil(() => service.pid !== undefined && service.pid !== first);
    expect(deaths).toEqual(['SIGKILL']);
  });

  it('is given up with its last words when it does not start', async () => {
    const dying = programs.program('dying', 'process.exit(3);');
    const service = serviceOf({ start: () => quiet(dying), answers: never, lastOutput: () => 'No such luck.' });
    await expect(service.run()).rejects.toThrow('app does not start (exit code 3): No such luck.');
  });

  it('is never given up once it was ready, however often it dies and however long it is not ready again', async () => {
    const deaths: string[] = [];
    const mayfly = programs.program('mayfly', 'note("mayfly lives"); setTimeout(() => process.exit(0), 20);');
    let answers = true;
    const service = serviceOf({
      start: () => quiet(mayfly),
      answers: () => Promise.resolve(answers),
      onDeath: (how) => void deaths.push(how),
    });
    const ended = service.run();
    await service.whenReady();
    answers = false;
    await waitUntil(() => deaths.length === 7);
    answers = true;
    await service.whenReady();
    await service.stop();
    await expect(ended).resolves.toBeUndefined();
  });

  it('is started again when a start could not even be tried', async () => {
    const failures: string[] = [];
    let starts = 0;
    const service = serviceOf({
      start: () => {
        if (++starts === 2) throw new Error('ENOSPC: no space left on device');
        return quiet(programs.program('app', working('app')));
      },
      onDeath: (how) => void failures.push(how),
    });
    void service.run();
    await service.whenReady();
    process.kill(service.pid!, 'SIGKILL');
    await waitUntil(() => starts === 3 && service.pid !== undefined);
    expect(failures).toEqual(['SIGKILL', 'ENOSPC: no space left on device']);
  });

  it('is given up when its program cannot be run', async () => {
    const service = serviceOf({ start: () => fork('/no/such/program', { execPath: '/no/such/node' }), answers: never });
    await expect(service.run()).rejects.toThrow('ENOENT');
  });

  it('is killed and counted as dead when it does not answer in time', async () => {
    const service = serviceOf({ answers: never, readyWithinMs: 50 });
    await expect(service.run()).rejects.toThrow('app does not start (SIGKILL).');
  });

  it('waits for what it needs', async () => {
    let answers = false;
    const needed = serviceOf({ answers: () => Promise.resolve(answers) });
    const needing = serviceOf({ needs: [needed] });
    void needed.run();
    void needing.run();
    await waitUntil(() => needed.pid);
    expect(needing.pid).toBeUndefined();
    answers = true;
    await needing.whenReady();
    expect(needing.pid).toBeDefined();
  });

  it('does not wait for longer because it died with what it needs', async () => {
    const delays: number[] = [];
    const needed = serviceOf({});
    const onDeath = (_: string, restartInMs: number) => void delays.push(restartInMs);
    const needing = serviceOf({ needs: [needed], policy: { ...POLICY, delaysMs: [20_000] }, onDeath });
    void needed.run();
    void needing.run();
    for (let round = 0; round < 3; round++) {
      await Promise.all([needed, needing].map((each) => each.whenReady()));
      const pids = [needed.pid, needing.pid] as const;
      process.kill(pids[0]!, 'SIGKILL');
      await waitUntil(() => needed.pid !== pids[0]);
      process.kill(pids[1]!, 'SIGKILL');
      await waitUntil(() => needing.pid !== undefined && needing.pid !== pids[1]);
    }
    expect(delays).toEqual([0, 0, 0]);
  });

  it('drains when it is stopped', async () => {
    const service = serviceOf({ start: () => quiet(programs.program('drains', working('drains'))) });
    const ended = service.run();
    await service.whenReady();
    await waitUntil(() => programs.diary().includes('drains starts'));
    await service.stop();
    await ended;
    expect(programs.diary()).toContain('drains drained');
  });

  it('is killed when it does not drain in time', async () => {
    const deaf = programs.program(
      'deaf',
      `process.on('SIGTERM', () => note('deaf heard')); setInterval(() => 0, 1000); note('deaf starts');`,
    );
    const service = serviceOf({ start: () => quiet(deaf) });
    const ended = service.run();
    await waitUntil(() => programs.diary().includes('deaf starts'));
    jest.useFakeTimers(fakeOnly('setTimeout', 'clearTimeout'));
    const stopped = service.stop();
    await waitUntil(() => programs.diary().includes('deaf heard'));
    jest.advanceTimersByTime(STOP_WITHIN_MS);
    await stopped;
    await ended;
  });
});

const programs: TestPrograms = testPrograms(temporaryFolder('supervisor'));
const POLICY = { delaysMs: [10], attemptsBeforeFirstReady: 2 };
const STOP_WITHIN_MS = 20_000;
const never = () => Promise.resolve(false);
const quiet = (program: string) => fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] });

function serviceOf(description: Partial<ServiceDescription>): Service {
  const service = new Service({
    name: 'app',
    start: () => quiet(programs.program('app', working('app'))),
    answers: () => Promise.resolve(true),
    readyWithinMs: 20_000,
    stopWithinMs: STOP_WITHIN_MS,
    policy: POLICY,
    ...description,
  });
  running.push(service);
  return service;
}
