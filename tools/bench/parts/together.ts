import { setTimeout as sleep } from 'node:timers/promises';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ms, perSecond, times, type Figure } from '../figure';
import { lastDays } from '../fill';
import type { RunningApp } from '../installation/installation';
import { runLoad, type LoadResult } from '../load/run-load';
import type { Loaded } from '../loaded';
import { QueryClient, type Filter } from '../query-client';
import { quantile, timed } from '../statistics';
import { DASHBOARD } from './dashboards';
import { TWELFTH } from './filters';
import type { Part } from './part';

const RATE = 500;
const CALLERS = 20;
const SECONDS = 15;
/** V8 compiles in the first half minute what the stream runs; the CPU of processes that have run for longer counts. */
const WARM_UP_SECONDS = 30;
const LOOK_EVERY_MS = 25;
const WANTED = { slower: 1.5, trackMs: 150, lagMs: 1_000, cpuMs: 0.6 };

/** The times that dashboards took without the stream and during it, ms. */
interface Read {
  readonly name: string;
  readonly alone: readonly number[];
  readonly during: readonly number[];
}

const VARIANTS: readonly { readonly name: string; readonly filters: readonly Filter[] }[] = [
  { name: '', filters: [] },
  { name: ' with two filters', filters: TWELFTH },
];

/** P15: dashboards and single events at the same time, and each of them alone. */
export const together: Part = async ({ loaded, print, detail }) => {
  const all = await loaded();
  const api = await all.installation.start('api');
  const tracker = await all.installation.start('tracker');
  const projector = await all.installation.start('projector');
  const client = new QueryClient(api.url, all.installation.registered.apiKey);
  try {
    await stream(tracker, all, WARM_UP_SECONDS);
    const before = all.installation.cpuSeconds();
    const alone = await stream(tracker, all, SECONDS);
    const cpuMs = ((all.installation.cpuSeconds() - before) * 1_000) / alone.load.answered;
    print(
      `together: stream alone p99 ${ms(alone.load.p99)}, lag p99 ${ms(quantile(alone.lags, 0.99))}, ${ms(cpuMs)} CPU`,
    );
    const found: Figure[] = [];
    for (const { name, filters } of VARIANTS) {
      await dashboards(client, all, { filters, forMs: 3_000 });
      const readAlone = await dashboards(client, all, { filters, forMs: SECONDS * 1_000 });
      print(`together: dashboards${name} alone p50 ${ms(quantile(readAlone, 0.5))}`);
      const [both, during] = await Promise.all([
        stream(tracker, all, SECONDS),
        dashboards(client, all, { filters, forMs: SECONDS * 1_000 }),
      ]);
      detail(`together${name}`, { readAlone, during, cpuMs, alone, both });
      found.push(...besideStream({ name, alone: readAlone, during }, alone, both));
    }
    return [...found, cpuFigure(alone.load.perSecond, cpuMs)];
  } finally {
    client.close();
    for (const app of [api, tracker, projector]) await app.stop();
  }
};

/** Returns how long each dashboard took, asked by all callers for some time, ms. */
async function dashboards(
  client: QueryClient,
  { large, plan }: Loaded,
  { filters, forMs }: { readonly filters: readonly Filter[]; readonly forMs: number },
): Promise<number[]> {
  const question = { subject: `website_id=${large.websiteId}`, types: DASHBOARD, ...lastDays(plan), filters };
  const until = performance.now() + forMs;
  const caller = async () => {
    const took: number[] = [];
    while (performance.now() < until) took.push(await timed(() => client.ask(question)));
    return took;
  };
  return (await Promise.all(Array.from({ length: CALLERS }, caller))).flat();
}

interface Streamed {
  readonly load: LoadResult;
  /** From being stored to being visible, ms. */
  readonly lags: readonly number[];
}

let streams = 0;

/** Single events at a steady rate, and how late they are visible. */
async function stream(tracker: RunningApp, { installation, large }: Loaded, seconds: number): Promise<Streamed> {
  const over = new AbortController();
  const lags = watchLags(installation.databaseUrl, over.signal);
  const url = `${tracker.url}/batch?client_id=${large.websiteId}`;
  try {
    const load = await runLoad({ url, connections: 20, seconds, rate: RATE, events: 1, name: `stream${streams++}` });
    over.abort();
    return { load, lags: await lags };
  } finally {
    over.abort();
  }
}

/** Looks at the heads of the log and at the read models: how long after a head was seen it was included. */
async function watchLags(url: string, over: AbortSignal): Promise<number[]> {
  const pool = openPool({ url, name: 'bench-watch', max: 1 });
  const waiting = new Map<number, { head: number; at: number }[]>();
  const lags: number[] = [];
  try {
    while (!over.aborted) {
      const rows = await run<{ partition: number; head: number; included: number }>(pool, POSITIONS);
      const now = performance.now();
      for (const { partition, head, included } of rows) {
        const seen = waiting.get(partition) ?? [];
        waiting.set(partition, seen);
        if ((seen.at(-1)?.head ?? included) < head) seen.push({ head, at: now });
        while (seen[0] && seen[0].head <= included) lags.push(now - (seen.shift()?.at ?? now));
      }
      await sleep(LOOK_EVERY_MS);
    }
    return lags;
  } finally {
    await pool.end();
  }
}

const POSITIONS = sql`
  select h.partition, (h.next_offset - 1)::float8 as head, coalesce(nullif(c.cursor, '')::float8, -1) as included
  from intake_heads h
  join projection_groups g on g.name = 'websites'
  join projection_checkpoints c
    on c.projection_group = g.name and c.version = g.live_version and c.partition = h.partition`;

const figure = (what: string, rest: Omit<Partial<Figure>, 'id' | 'what'>): Figure => ({
  id: 'P15',
  what,
  target: '',
  measured: '',
  yardstick: '',
  ratio: '',
  isMet: null,
  ...rest,
});

function besideStream({ name, alone: readAlone, during }: Read, alone: Streamed, both: Streamed): Figure[] {
  const before = quantile(readAlone, 0.5);
  const p50 = quantile(during, 0.5);
  const lag = quantile(both.lags, 0.99);
  const lagAlone = quantile(alone.lags, 0.99);
  const events = perSecond(RATE, 'single events');
  return [
    figure(`${CALLERS} dashboards of six types${name} at once while ${events} arrive`, {
      target: `p50 ≤ ${WANTED.slower}× of without`,
      measured: `p50 ${ms(p50)}, p95 ${ms(quantile(during, 0.95))}`,
      yardstick: `p50 ${ms(before)} without`,
      ratio: times(p50 / before),
      isMet: p50 <= before * WANTED.slower,
    }),
    figure(`/batch of one event beside dashboards${name}`, {
      target: `p99 ≤ ${ms(WANTED.trackMs)}`,
      measured: `p99 ${ms(both.load.p99)}, ${both.load.failed} failed`,
      yardstick: `p99 ${ms(alone.load.p99)} without readers`,
      isMet: both.load.p99 <= WANTED.trackMs && both.load.failed === 0,
    }),
    figure(`From being stored to being visible beside dashboards${name}`, {
      target: `p99 ≤ ${ms(WANTED.lagMs)}`,
      measured: `p99 ${ms(lag)}`,
      yardstick: `p99 ${ms(lagAlone)} without readers`,
      isMet: lag <= WANTED.lagMs,
    }),
  ];
}

const cpuFigure = (rate: number, cpuMs: number): Figure =>
  figure(`CPU of all processes and Postgres per event, ${perSecond(rate, 'events')} alone`, {
    target: `≤ ${WANTED.cpuMs} ms`,
    measured: `${cpuMs.toFixed(2)} ms`,
    isMet: cpuMs <= WANTED.cpuMs,
  });
