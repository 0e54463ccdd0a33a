import { fork } from 'node:child_process';
import { join } from 'node:path';
import { count, ms, percent, perSecond, type Figure } from '../figure';
import { lastDays } from '../fill';
import { DIST } from '../installation/installation';
import type { Loaded } from '../loaded';
import { QueryClient } from '../query-client';
import { throttled } from '../throttled';
import type { BenchContext, Part } from './part';
import type { Progress, Rebuilt } from './rebuilder';

const WANTED_FLIP_MS = 50;
const WANTED_MB = 400;
/** Readers that always wait for an answer, and the rate that is wanted beside them. */
const RUNS = [
  { readers: 0, wantedRate: 25_000 },
  { readers: 5, wantedRate: 10_000 },
];
const TYPES = ['summary_metrics', 'top_pages', 'country'];

interface Run extends Rebuilt {
  readonly readers: number;
  readonly wantedRate: number;
  readonly reads: number;
  readonly failed: number;
  /** The seconds of CPU of the database, and of the api that reads from it. */
  readonly otherCpuSeconds: number;
}

/** P5: rebuilds every group of read models, alone and while queries are sent. */
export const rebuild: Part = async ({ loaded, profileTo, print, detail }) => {
  const all = await loaded();
  const runs: Run[] = [];
  for (const planned of RUNS) {
    print(`rebuild: filling new versions beside the live ones, with ${planned.readers} readers`);
    runs.push(await measure(planned, all, () => rebuildInAChild(all.installation.databaseUrl, profileTo, print)));
  }
  detail('rebuilds', runs);
  return figures(runs, all.events.large + all.events.small);
};

async function measure(planned: (typeof RUNS)[number], all: Loaded, rebuildAll: () => Promise<Rebuilt>): Promise<Run> {
  const { installation } = all;
  const api = await installation.start('api');
  const client = new QueryClient(api.url, installation.registered.apiKey);
  try {
    const before = installation.cpuSeconds();
    const rebuilding = rebuildAll();
    let isOver = false;
    const reading = Promise.all(
      Array.from({ length: planned.readers }, () => readAllTheTime(client, all, () => isOver)),
    );
    reading.catch(() => undefined); // awaited below, after the rebuild
    const rebuilt = await rebuilding.finally(() => (isOver = true));
    const readers = await reading;
    if (rebuilt.differences > 0) throw new Error(`${rebuilt.differences} tables differ after the rebuild.`);
    const reads = sum(readers.map((each) => each.reads));
    const failed = sum(readers.map((each) => each.failed));
    return { ...planned, ...rebuilt, reads, failed, otherCpuSeconds: installation.cpuSeconds() - before };
  } finally {
    client.close();
    await api.stop();
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function figures(runs: readonly Run[], events: number): Figure[] {
  const row = (what: string, target: string, measured: string, isMet: boolean, ratio = ''): Figure => {
    return { id: 'P5', what, target, measured, yardstick: '', ratio, isMet };
  };
  const rates = runs.map((run) => {
    const { readers, wantedRate, fillSeconds, wholeSeconds, cpuSeconds, otherCpuSeconds } = run;
    const rate = events / fillSeconds;
    const micros = (seconds: number) => ((seconds * 1e6) / events).toFixed(1);
    const cpu = `CPU µs per event: ${micros(cpuSeconds)} rebuilder, ${micros(otherCpuSeconds)} Postgres and api`;
    return row(
      `Rebuild of all projections, ${count(events)} events, ${readers} readers`,
      `≥ ${perSecond(wantedRate, 'events')}`,
      `${perSecond(rate, 'events')} (${perSecond(events / wholeSeconds, '')} with the comparison). ${cpu}`,
      rate >= wantedRate,
      percent(rate / wantedRate),
    );
  });
  const failed = sum(runs.map((run) => run.failed));
  const reads = sum(runs.map((run) => run.reads));
  const flipMs = Math.max(...runs.map((run) => run.flipMs));
  const peakMb = Math.max(...runs.map((run) => run.peakMb));
  return [
    ...rates,
    row('Failed, wrong or empty reads during it', '0', `${failed} of ${count(reads)}`, failed === 0),
    row('Longest flip', `< ${ms(WANTED_FLIP_MS)}`, ms(flipMs), flipMs < WANTED_FLIP_MS),
    row('Memory of the rebuilder', `< ${WANTED_MB} MB`, `${Math.round(peakMb)} MB`, peakMb < WANTED_MB),
  ];
}

/** An answer without rows, or with other figures than before, counts as failed: nothing new arrives meanwhile. */
async function readAllTheTime(client: QueryClient, { large, plan }: Loaded, isOver: () => boolean) {
  const question = { subject: `website_id=${large.websiteId}`, types: TYPES, ...lastDays(plan) };
  const expected = JSON.stringify(await client.ask(question));
  let reads = 0;
  let failed = 0;
  while (!isOver()) {
    reads++;
    const answer = await client.ask(question).catch(() => undefined);
    if (JSON.stringify(answer) !== expected) failed++;
  }
  return { reads, failed };
}

function rebuildInAChild(
  databaseUrl: string,
  profileTo: string | undefined,
  print: BenchContext['print'],
): Promise<Rebuilt> {
  const child = fork(join(DIST, 'tools', 'bench', 'parts', 'rebuilder.js'), [], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    execArgv: [
      ...['--max-semi-space-size=16', '--heap-growing-percent=100'], // as `npm run projections`
      `--require=${join(DIST, 'scripts', 'supervisor', 'leave-with-parent.js')}`,
      ...(profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`]),
    ],
  });
  const report = throttled(({ group, written, total }: Progress) =>
    print(`rebuild: ${group}: ${count(written)} of ${count(total)} events`),
  );
  return new Promise((resolve, reject) => {
    child.on('message', (message: Progress | Rebuilt) => {
      if ('group' in message) report(message);
      else resolve(message);
    });
    child.once('exit', (code) => reject(new Error(`The rebuild ended with ${code ?? 'a signal'}.`)));
  });
}
