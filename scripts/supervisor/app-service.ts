import { fork } from 'node:child_process';
import { get } from 'node:http';
import type { Heaps } from '@ledgerline/platform/config/settings';
import { memoryMb } from '@ledgerline/platform/config/settings';
import type { LogFile } from './log-file';
import { nodeOptions } from './node-options';
import { Service, type ServiceDescription } from './service';

export interface AppDescription extends Pick<ServiceDescription, 'needs' | 'policy' | 'onStart' | 'onDeath'> {
  readonly name: keyof Heaps;
  readonly entry: string;
  /** On its command line, so that a later start recognises the process. */
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: LogFile;
  /** Loaded before the app. */
  readonly preload: string;
  /** The memory of the machine, by which its heap is chosen; absent = as it is. */
  readonly memoryMb?: number | undefined;
  /** Returns 200 when the app is ready; an app without one sends a message when it is. */
  readonly healthUrl?: string;
}

/** One app of the product as a supervised process. */
export function appService(app: AppDescription): Service {
  let messaged = false;
  return new Service({
    ...app,
    start: () => {
      messaged = false;
      const child = app.log.open((log) => forkApp(app, log));
      return child.once('message', () => (messaged = true));
    },
    answers: () => (app.healthUrl === undefined ? Promise.resolve(messaged) : answersOk(app.healthUrl)),
    lastOutput: () => app.log.lastOutput() || `see ${app.log.path}`,
    readyWithinMs: 120_000,
    stopWithinMs: 15_000,
  });
}

/** TRICKY: `detached` gives it a process group of its own, so that Ctrl-C reaches the supervisor only. */
function forkApp(app: AppDescription, log: number) {
  const options = nodeOptions(app.name, app.env, { memoryMb: app.memoryMb ?? memoryMb(), isAlone: false });
  return fork(app.entry, [app.dataDir], {
    env: app.env,
    detached: true,
    execArgv: ['--enable-source-maps', ...options, '--require', app.preload],
    stdio: ['ignore', log, log, 'ipc'],
  });
}

function answersOk(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: 2_000, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
