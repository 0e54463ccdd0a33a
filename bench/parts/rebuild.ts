import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { QueryClient } from '../query-client';
import { count, ms, percent, perSecond, type Figure } from '../figure';
import { DIST } from '../installation/installation';
import type { Loaded } from '../loaded';
import { throttled } from '../throttled';
import type { BenchContext, Part } from './part';
import { lastDays } from '../fill';
import type { Progress, Rebuilt } from './rebuilder';

const [WANTED_RATE, WANTED_FLIP_MS, WANTED_MB] = [40_000, 50, 600];
const ASK_EVERY_MS = 100;
const TYPES = ['summary_metrics', 'top_pages', 'country'];

/** P5: rebuilds every group of read models while queries are sent. */
export const rebuild: Part = async ({ loaded, profileTo, print }) => {
  const all = await loaded();
  const api = await all.installation.start('api');
  const client = new QueryClient(api.url, all.installation.registered.apiKey);
  try {
    print('rebuild: filling new versions beside the live ones');
    const rebuilding = rebuildInAChild(all.installation.databaseUrl, profileTo, print);
    let isOver = false;
    const reading = readAllTheTime(client, all, () => isOver);
    reading.catch(() => undefined); // awaited below, after the rebuild
    const rebuilt = await rebuilding.finally(() => (isOver = true));
    const { reads, failed } = await reading;
    if (rebuilt.differences > 0) throw new Error(`${rebuilt.differences} tables differ after the rebuild.`);
    return figures(rebuilt, all.events.large + all.events.small, reads, failed);
  } finally {
    client.close();
    await api.stop();
  }
};

function figures({ fillSeconds, flipMs, peakMb }: Rebuilt, events: number, reads: number, failed: number): Figure[] {
  const rate = events / fillSeconds;
  const row = (what: string, target: string, measured: string, isMet: boolean, ratio = ''): Figure => {
    return { id: 'P5', what, target, measured, yardstick: '', ratio, isMet };
  };
  return [
    row(
      `Rebuild of all projections, ${count(events)} events`,
      `≥ ${perSecond(WANTED_RATE, 'events')}`,
      perSecond(rate, 'events'),
      rate >= WANTED_RATE,
      percent(rate / WANTED_RATE),
    ),
    row('Failed or empty reads during it', '0', `${failed} of ${count(reads)}`, failed === 0),
    row('Longest flip', `< ${ms(WANTED_FLIP_MS)}`, ms(flipMs), flipMs < WANTED_FLIP_MS),
    row(
      `Memory of the rebuilder, ${count(events)} events`,
      `< ${WANTED_MB} MB`,
      `${Math.round(peakMb)} MB`,
      peakMb < WANTED_MB,
    ),
  ];
}

/** An answer without rows, or with other figures than before, counts as failed: nothing new arrives meanwhile. */
async function readAllTheTime(client: QueryClient, { large, plan }: Loaded, isOver: () => boolean) {
  const question = { subject: `website_id=${large.websiteId}`, types: TYPES, ...lastDays(plan) };
  const expected = JSON.stringify(await client.ask(question));
  let [reads, failed] = [0, 0];
  while (!isOver()) {
    reads++;
    const answer = await client.ask(question).catch(() => undefined);
    if (JSON.stringify(answer) !== expected) failed++;
    await sleep(ASK_EVERY_MS);
  }
  return { reads, failed };
}

function rebuildInAChild(
  databaseUrl: string,
  profileTo: string | undefined,
  print: BenchContext['print'],
): Promise<Rebuilt> {
  const child = fork(join(DIST, 'bench', 'parts', 'rebuilder.js'), [], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    execArgv: [
      '--max-semi-space-size=64', // as `npm run projections`
      ...(profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`]),
    ],
  });
  const tell = throttled(({ group, written, total }: Progress) =>
    print(`rebuild: ${group}: ${count(written)} of ${count(total)} events`),
  );
  return new Promise((resolve, reject) => {
    child.on('message', (told: Progress | Rebuilt) => {
      if ('group' in told) tell(told);
      else resolve(told);
    });
    child.once('exit', (code) => reject(new Error(`The rebuild ended with ${code ?? 'a signal'}.`)));
  });
}
