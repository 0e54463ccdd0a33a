import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { readManifest } from '../../../scripts/backup/manifest';
import { catchUp, storedEvents } from '../catch-up';
import { count, ms, type Figure } from '../figure';
import { DIST } from '../installation/installation';
import { runLoad, type LoadResult } from '../load/run-load';
import type { Loaded } from '../loaded';
import { median } from '../statistics';
import type { Part } from './part';

const WANTED_MB_PER_SECOND = 50;
const WANTED_SHARE = 1.1;
const WANTED_MINUTES = 5;
const ROUNDS = 5;
const LOAD = { connections: 16, rate: 200, events: 1, seconds: 12 };
const WARM_UP_SECONDS = 3;

/** P25: backups one after the other while hits arrive, and a restore until all of it is in the read models. */
export const backup: Part = async ({ loaded, print, detail }) => {
  const all = await loaded();
  const place = mkdtempSync(join(tmpdir(), 'ledgerline-backups-'));
  try {
    const { alone, beside, rates } = await measureBatch(all, place, print);
    const folder = join(place, 'restored');
    await runScript('backup', [folder], all.installation.env);
    const seconds = await restoreFrom(all, folder, place);
    const events = await storedEvents(all.installation.databaseUrl);
    detail('backup', { alone, beside, rates, restoreSeconds: seconds });
    return figures({ alone, beside, rate: median(rates), seconds, events });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

/** By turns, as a shared machine is not always as fast. */
async function measureBatch({ installation, large }: Loaded, place: string, print: (line: string) => void) {
  const tracker = await installation.start('tracker');
  const url = `${tracker.url}/batch?client_id=${large.websiteId}`;
  let runs = 0;
  const send = async (seconds: number) => {
    const result = await runLoad({ url, ...LOAD, seconds, name: `backup ${runs++}` });
    if (result.failed > 0) throw new Error(`${result.failed} requests were not accepted.`);
    return result;
  };
  const alone: LoadResult[] = [];
  const beside: LoadResult[] = [];
  const rates: number[] = [];
  try {
    await send(WARM_UP_SECONDS);
    for (let round = 1; round <= ROUNDS; round++) {
      print(`backup: round ${round} of ${ROUNDS}`);
      alone.push(await send(LOAD.seconds));
      const over = new AbortController();
      const sending = send(LOAD.seconds).finally(() => over.abort());
      while (!over.signal.aborted) rates.push(await backUp(installation.env, join(place, 'beside')));
      beside.push(await sending);
    }
  } finally {
    await tracker.stop();
  }
  return { alone, beside, rates };
}

/** Answers MB/s, as the command says it. */
async function backUp(env: NodeJS.ProcessEnv, folder: string): Promise<number> {
  const said = await runScript('backup', [folder], env);
  const seconds = Number(/written in ([\d.]+) s/.exec(said)?.[1]);
  const bytes = readManifest(folder).files.reduce((sum, file) => sum + file.bytes, 0);
  rmSync(folder, { recursive: true });
  return bytes / 1e6 / seconds;
}

/** Into another database of the same server. */
async function restoreFrom({ installation, log }: Loaded, folder: string, place: string): Promise<number> {
  const { databaseUrl, env } = installation;
  const pool = openPool({ url: databaseUrl, name: 'bench-restore', max: 1 });
  const url = new URL(databaseUrl);
  url.pathname = '/restored';
  const restored = { DATABASE_URL: url.href, DATA_DIR: join(place, 'data') };
  try {
    await run(pool, sql`create database restored`);
    const startedAt = performance.now();
    await runScript('restore', [folder], { ...env, ...restored });
    const projector = await installation.start('projector', restored);
    await catchUp(log, url.href);
    const seconds = (performance.now() - startedAt) / 1000;
    await projector.stop();
    return seconds;
  } finally {
    await run(pool, sql`drop database if exists restored with (force)`);
    await pool.end();
  }
}

async function runScript(name: 'backup' | 'restore', args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const script = join(DIST, 'scripts', `${name}.js`);
  return (await promisify(execFile)(process.execPath, [script, ...args], { env })).stdout;
}

interface Measured {
  readonly alone: readonly LoadResult[];
  readonly beside: readonly LoadResult[];
  readonly rate: number;
  readonly seconds: number;
  readonly events: number;
}

function figures({ alone, beside, rate, seconds, events }: Measured): Figure[] {
  const row = (what: string, target: string, measured: string, isMet: boolean, ratio = ''): Figure => {
    return { id: 'P25', what, target, measured, yardstick: '', ratio, isMet };
  };
  const latency = (of: 'p50' | 'p99'): Figure => {
    const [without, during] = [alone, beside].map((runs) => median(runs.map((each) => each[of])));
    const share = (during ?? 0) / (without ?? 1);
    const measured = `${ms(during ?? 0)} (without ${ms(without ?? 0)})`;
    const what = `\`/batch\` at ${LOAD.rate}/s during backups, ${of}`;
    return row(what, `≤ ${WANTED_SHARE}× of without`, measured, share <= WANTED_SHARE, `${share.toFixed(2)}×`);
  };
  return [
    row(
      `Backup of ${count(events)} events`,
      `≥ ${WANTED_MB_PER_SECOND} MB/s`,
      `${count(rate)} MB/s`,
      rate >= WANTED_MB_PER_SECOND,
    ),
    latency('p50'),
    latency('p99'),
    row(
      `Restore of ${count(events)} events, until they answer`,
      `≤ ${WANTED_MINUTES} minutes`,
      `${count(seconds)} s`,
      seconds <= WANTED_MINUTES * 60,
    ),
  ];
}
