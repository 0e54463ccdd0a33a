import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Asker } from '../ask';
import { count, ms, percent, perSecond, type Figure } from '../figure';
import { DIST } from '../installation/installation';
import type { Loaded } from '../loaded';
import { seldom } from '../say';
import type { Order, Part } from './part';
import { lastDays } from './last-days';
import type { Progress, Rebuilt } from './rebuilder';

const [WANTED_RATE, WANTED_FLIP_MS, WANTED_MB] = [40_000, 50, 600];
const ASK_EVERY_MS = 100;
const TYPES = ['summary_metrics', 'top_pages', 'country'];

/** P5: rebuilds every group of read models while queries are sent. */
export const rebuild: Part = async ({ loaded, profileTo, say }) => {
  const all = await loaded();
  const api = await all.installation.start('api');
  const asker = new Asker(api.url, all.installation.registered.apiKey);
  try {
    say('rebuild: filling new versions beside the live ones');
    const rebuilding = rebuildInAChild(all.installation.databaseUrl, profileTo, say);
    let isOver = false;
    const reading = readAllTheTime(asker, all, () => isOver);
    reading.catch(() => undefined); // awaited below, after the rebuild
    const rebuilt = await rebuilding.finally(() => (isOver = true));
    const { reads, failed } = await reading;
    if (rebuilt.differences > 0) throw new Error(`${rebuilt.differences} tables differ after the rebuild.`);
    return figures(rebuilt, all.events.large + all.events.small, reads, failed);
  } finally {
    asker.close();
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
async function readAllTheTime(asker: Asker, { large }: Loaded, isOver: () => boolean) {
  const question = { subject: `website_id=${large.websiteId}`, types: TYPES, ...lastDays() };
  const expected = JSON.stringify(await asker.ask(question));
  let [reads, failed] = [0, 0];
  while (!isOver()) {
    reads++;
    const answer = await asker.ask(question).catch(() => undefined);
    if (JSON.stringify(answer) !== expected) failed++;
    await sleep(ASK_EVERY_MS);
  }
  return { reads, failed };
}

function rebuildInAChild(databaseUrl: string, profileTo: string | undefined, say: Order['say']): Promise<Rebuilt> {
  const child = fork(join(DIST, 'bench', 'parts', 'rebuilder.js'), [], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
    execArgv: [
      '--max-semi-space-size=64', // as `npm run projections`
      ...(profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`]),
    ],
  });
  const tell = seldom(({ group, written, total }: Progress) =>
    say(`rebuild: ${group}: ${count(written)} of ${count(total)} events`),
  );
  return new Promise((resolve, reject) => {
    child.on('message', (told: Progress | Rebuilt) => {
      if ('group' in told) tell(told);
      else resolve(told);
    });
    child.once('exit', (code) => reject(new Error(`The rebuild ended with ${code ?? 'a signal'}.`)));
  });
}
