import type { Settings } from '@ledgerline/platform/config/settings';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { openDataDirectory } from './data-directory';
import { demoMadeSince, firstRunFile, moveDemo } from './demo';
import { checkVariables } from './environment';
import { lockDataDirectory } from './lock';
import { waitForOrphans } from './orphans';
import { checkPorts } from './ports';
import { firstScreen, laterScreen, type Addresses } from './screen';
import { listenForStop, type StopRequest } from './stop-request';
import { Supervisor, type Programs } from './supervisor';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Runs the product until a stop signal; fails with one sentence when it cannot start. */
export async function start(env: NodeJS.ProcessEnv, programs: Programs): Promise<void> {
  process.stdout.on('error', () => undefined); // a closed terminal must not prevent an orderly stop
  const stop = listenForStop();
  const settings = checkVariables(env);
  openDataDirectory(settings.dataDir);
  const unlock = await lockDataDirectory(settings.dataDir);
  try {
    await waitForOrphans(settings.dataDir, print);
    await checkPorts(settings);
    print('Starting …');
    await runUntilStopped(new Supervisor(env, settings, programs, print), settings, stop);
  } finally {
    unlock();
  }
  process.exit(0);
}

async function runUntilStopped(supervisor: Supervisor, settings: Settings, stop: StopRequest): Promise<void> {
  stop.onHurry(() => supervisor.hurry());
  const startedAt = Date.now();
  try {
    await Promise.race([supervisor.start(), stop.requested]);
    if (!stop.signal.aborted) {
      const text = screen(settings, startedAt);
      moveDemo(settings.dataDir, addressesOf(settings));
      print(text);
    }
    await stop.requested;
    print('\nStopping …');
  } finally {
    await supervisor.stop();
  }
  print('Stopped.');
}

/** The long screen after the start that created the demo, else the short one. */
function screen(settings: Settings, startedAt: number): string {
  const { dataDir } = settings;
  const file = firstRunFile(dataDir);
  const shown = relative(process.cwd(), file).startsWith('..') ? file : relative(process.cwd(), file);
  const demo = demoMadeSince(dataDir, startedAt);
  if (demo) return firstScreen(demo, shown);
  return laterScreen(addressesOf(settings), existsSync(file) ? shown : undefined);
}

const addressesOf = ({ publicApiUrl, publicTrackUrl }: Settings): Addresses => ({
  apiUrl: publicApiUrl,
  trackUrl: publicTrackUrl,
});
