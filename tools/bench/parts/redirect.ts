import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { storedEvents } from '../catch-up';
import { ms, percent, perSecond, type Figure } from '../figure';
import { DIST, Installation } from '../installation/installation';
import { runLoad } from '../load/run-load';
import type { LoadResult } from '../load/run-load';
import { median } from '../statistics';
import type { Part } from './part';

const ROUNDS = 3;
const SECONDS = 6;
const CONNECTIONS = 64;
const WANTED_SHARE = 0.6;
const WANTED_P99_MS = 10;
/** A click is committed within 50 ms of its redirect. */
const UNTIL_COMMITTED_MS = 2_000;

/** P3: redirects with their clicks recorded, compared with a Fastify app that only redirects. */
export const redirect: Part = async ({ print, profileTo }) => {
  const installation = await Installation.open({ websites: 1, profileTo });
  const bare = await bareRedirect();
  try {
    const tracker = await installation.start('tracker');
    const ours = `${tracker.url}/${installation.registered.slug}`;
    let redirected = 0;
    const load = async (url: string, seconds: number, rate?: number): Promise<LoadResult> => {
      const load = { url, connections: CONNECTIONS, seconds, name: '' };
      const hits = await runLoad(rate === undefined ? load : { ...load, rate });
      if (hits.failed > 0) throw new Error(`${hits.failed} requests were not redirected.`);
      if (url === ours) redirected += hits.answered;
      return hits;
    };
    for (const url of [ours, bare.url]) await load(url, 3);
    const rates: Record<'bare' | 'ours', number[]> = { bare: [], ours: [] };
    for (let round = 1; round <= ROUNDS; round++) {
      print(`redirect: round ${round} of ${ROUNDS}`);
      rates.bare.push((await load(bare.url, SECONDS)).perSecond);
      rates.ours.push((await load(ours, SECONDS)).perSecond);
    }
    const half = await load(ours, 2 * SECONDS, Math.round(median(rates.ours) / 2));
    await sleep(UNTIL_COMMITTED_MS);
    const stored = await storedEvents(installation.databaseUrl);
    if (stored < redirected) throw new Error(`${redirected} redirects, but only ${stored} clicks are stored.`);
    return figures(median(rates.ours), median(rates.bare), half);
  } finally {
    bare.stop();
    await installation.close();
  }
};

const figures = (ours: number, bare: number, half: LoadResult): Figure[] => [
  {
    id: 'P3',
    what: 'Redirect with its click recorded',
    target: `≥ ${percent(WANTED_SHARE)} of a bare Fastify 302`,
    measured: perSecond(ours, 'redirects'),
    yardstick: perSecond(bare, 'redirects'),
    ratio: percent(ours / bare),
    isMet: ours >= bare * WANTED_SHARE,
  },
  {
    id: 'P3',
    what: 'The same at half of that rate',
    target: `p99 ≤ ${WANTED_P99_MS} ms`,
    measured: `p99 ${ms(half.p99)}, p50 ${ms(half.p50)} at ${perSecond(half.perSecond, 'redirects')}`,
    yardstick: '',
    ratio: '',
    isMet: half.p99 <= WANTED_P99_MS,
  },
];

async function bareRedirect(): Promise<{ url: string; stop: () => void }> {
  const child = fork(join(DIST, 'tools', 'bench', 'yardsticks', 'bare-redirect.js'), [], { execArgv: [] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)));
    child.once('exit', () => reject(new Error('The bare redirect does not start.')));
  });
  return { url: `http://127.0.0.1:${port}/bench`, stop: () => void child.kill() };
}
