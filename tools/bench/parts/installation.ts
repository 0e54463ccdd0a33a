import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { count, ms, perSecond, type Figure } from '../figure';
import { Installation, type RunningApp } from '../installation/installation';
import { appendMany } from '../installation/many-links';
import { runLoad, type LoadResult } from '../load/run-load';
import { linkPages } from './link-pages';
import type { Part } from './part';

const KEYS = 10_000;
const WANTED_START_MS = 5_000;
const WANTED_MB = 300;
const WANTED_P99_MS = 10;
const RATE = 1_000;
const WARM_UP_SECONDS = 5;
const SECONDS = 15;
const CONNECTIONS = 64;

interface Started {
  readonly name: 'api' | 'tracker';
  readonly app: RunningApp;
  readonly startMs: number;
}

/** P12 and P13: starts, memory, redirects and lists with a million links and 10,000 keys. */
export const installation: Part = async ({ print, profileTo, links }) => {
  const opened = await Installation.open({ websites: 1, profileTo });
  try {
    const { databaseUrl, registered } = opened;
    const store = await openEventStore({ databaseUrl });
    const { organizationId } = registered.subjects[0];
    await appendMany(store, organizationId, { links, keys: KEYS }, (n) => print(`installation: ${count(n)} links`));
    print('installation: projecting');
    const projector = await opened.start('projector');
    await projected(databaseUrl, store);
    await store.close();
    const started = [await start(opened, 'api'), await start(opened, 'tracker')] as const;
    print('installation: redirects');
    const [{ app: api }, { app: tracker }] = started;
    const load = (seconds: number) =>
      runLoad({ url: tracker.url, slugs: links, connections: CONNECTIONS, seconds, rate: RATE, name: '' });
    await load(WARM_UP_SECONDS);
    const redirects = await load(SECONDS);
    if (redirects.failed > 0) throw new Error(`${redirects.failed} requests were not redirected.`);
    const figures = [...started.map((each) => startFigure(each, links)), redirectFigure(redirects, links)];
    print('installation: lists');
    const pages = await linkPages(api.url, { apiKey: registered.apiKey, organizationId }, links);
    await projector.stop();
    return [...figures, ...pages];
  } finally {
    await opened.close();
  }
};

async function start(opened: Installation, name: Started['name']): Promise<Started> {
  const startedAt = performance.now();
  const app = await opened.start(name);
  return { name, app, startMs: performance.now() - startedAt };
}

/** Waits until the read models of the registry include the newest event. */
async function projected(databaseUrl: string, store: EventStore): Promise<void> {
  const pool = openPool({ url: databaseUrl, name: 'bench-watch', max: 1 });
  const head = await store.head(0);
  const read = () =>
    run<{ cursor: string }>(pool, sql`select cursor from projection_checkpoints where projection_group = 'registry'`);
  try {
    while (store.compare((await read())[0]?.cursor ?? '', head) < 0) await sleep(200);
  } finally {
    await pool.end();
  }
}

/** The memory is read after the redirects. */
function startFigure({ name, app, startMs }: Started, links: number): Figure {
  const megabytes = residentMegabytes(app.pid);
  return {
    id: 'P12',
    what: `${name}: from its start to ready, and its memory, ${count(links)} links and ${count(KEYS)} keys`,
    target: `≤ ${ms(WANTED_START_MS)}, ≤ ${WANTED_MB} MB`,
    measured: `${ms(startMs)}, ${count(megabytes)} MB`,
    yardstick: '',
    ratio: '',
    isMet: startMs <= WANTED_START_MS && megabytes <= WANTED_MB,
  };
}

const redirectFigure = ({ perSecond: rate, p50, p99, lateP99 = 0 }: LoadResult, links: number): Figure => ({
  id: 'P12',
  what: `Redirects of random ones of ${count(links)} links`,
  target: `p99 ≤ ${ms(WANTED_P99_MS)} at ${perSecond(RATE, 'redirects')}`,
  measured: `p99 ${ms(p99)}, p50 ${ms(p50)} at ${perSecond(rate, 'redirects')}; p99 of the sender's own delay, which they include: ${ms(lateP99)}`,
  yardstick: '',
  ratio: '',
  isMet: p99 <= WANTED_P99_MS && rate >= RATE * 0.95,
});

function residentMegabytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
