import { accessSync, chmodSync, constants, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { writePrivately } from '@ledgerline/platform/config/private-file';
import type { Settings } from '@ledgerline/platform/config/settings';
import { StartFailure, systemErrorCode } from '@ledgerline/platform/config/start-failure';
import { checkVariables } from './environment';
import { lockDataDirectory, waitForOrphans } from './lock';
import { checkPorts } from './ports';
import { type PublicUrls, type FirstRun, firstScreen, laterScreen } from './screen';
import { listenForStop, type StopRequest } from './stop-request';
import { type Programs, Supervisor } from './supervisor';

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

const addressesOf = ({ publicApiUrl, publicTrackUrl }: Settings): PublicUrls => ({
  apiUrl: publicApiUrl,
  trackUrl: publicTrackUrl,
});

export const firstRunFile = (dataDir: string) => join(dataDir, 'first-run.json');

/** The demo, if this start created it: the api writes the file before it is ready. */
export function demoMadeSince(dataDir: string, since: number): FirstRun | undefined {
  const file = firstRunFile(dataDir);
  const writtenAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (writtenAt === undefined || writtenAt < since) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')) as FirstRun;
}

/** Updates the addresses in the demo's file when the product is started with other ones. */
export function moveDemo(dataDir: string, { apiUrl, trackUrl }: PublicUrls): void {
  const demo = demoIn(dataDir);
  if (!demo || (demo.apiUrl === apiUrl && demo.trackUrl === trackUrl)) return;
  const slug = demo.shortUrl.slice(demo.shortUrl.lastIndexOf('/') + 1);
  writePrivately(firstRunFile(dataDir), { ...demo, apiUrl, trackUrl, shortUrl: `${trackUrl}/${slug}` });
}

/** Undefined also if the file is not valid any more, which must not prevent a start. */
function demoIn(dataDir: string): FirstRun | undefined {
  try {
    const demo = JSON.parse(readFileSync(firstRunFile(dataDir), 'utf8')) as Partial<FirstRun> | null;
    return typeof demo?.shortUrl === 'string' ? (demo as FirstRun) : undefined;
  } catch {
    return undefined;
  }
}

/** Creates the data directory if it is missing, with permissions that protect its secrets from other users. */
export function openDataDirectory(dataDir: string): void {
  try {
    const isNew = mkdirSync(dataDir, { recursive: true }) !== undefined;
    if (process.getuid?.() === 0) {
      chmodSync(dataDir, isNew ? 0o711 : statSync(dataDir).mode | 0o711); // the user of Postgres must be able to enter
    } else if (isNew) {
      chmodSync(dataDir, 0o700);
    }
    mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = systemErrorCode(error) ?? 'unknown error';
    throw new StartFailure(`The data directory ${dataDir} cannot be used (${code}); set DATA_DIR to another one.`);
  }
}
