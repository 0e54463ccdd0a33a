import { setTimeout as sleep } from 'node:timers/promises';
import { catchUp } from '../catch-up';
import { count, ms, perSecond } from '../figure';
import { lastDays, planFor } from '../fill';
import type { Installation, RunningApp, Usage } from '../installation/installation';
import { cpuSeconds, memoryMegabytes } from '../installation/process-usage';
import { runLoad, type LoadResult } from '../load/run-load';
import { withFilled } from '../loaded';
import { QueryClient, type Filter, type Query } from '../query-client';
import { repeated, timed, type Effort } from '../statistics';
import { throttled } from '../throttled';
import { DASHBOARD } from './dashboards';
import { FUNNEL_OF_THREE } from './goals';
import type { BenchContext } from './part';

export const EVENTS_PER_SECOND = 500;
const CLICKS_PER_SECOND = 2;
/** The questions that are asked meanwhile, each at its own moments: ms between two, and before the first. */
const PACES = {
  unfiltered: { everyMs: 2_000, afterMs: 0 },
  filtered: { everyMs: 2_000, afterMs: 1_000 },
  funnel: { everyMs: 5_000, afterMs: 2_500 },
} as const;
type Asked = keyof typeof PACES;
/** V8 compiles in the first half minute what the stream runs. */
const WARM_UP_SECONDS = 30;
const WARM_UP: Effort = { times: 10, atLeast: 2, forMs: 3_000 };
const RESTARTS = 3;
const MEMORY_EVERY_MS = 10_000;
/** A click is committed within 50 ms of its redirect. */
const UNTIL_COMMITTED_MS = 2_000;

/** One after the other, so that no answer is that of the one before. */
const FILTERS: readonly Filter[] = [
  ...['US', 'DE', 'GB', 'IN', 'FR', 'BR', 'JP'].map((value) => ({ field: 'country', value })),
  ...['desktop', 'mobile', 'tablet'].map((value) => ({ field: 'device_type', value })),
  ...['Chrome', 'Firefox', 'Edge'].map((value) => ({ field: 'browser_name', value })),
].map((each) => ({ ...each, op: 'eq' }));

export interface Answers {
  /** ms from the moment when each question was due. */
  readonly took: readonly number[];
  readonly failures: readonly string[];
}

export interface GrowingDay {
  readonly batch: LoadResult;
  readonly clicks: LoadResult;
  readonly answers: Readonly<Record<Asked, Answers>>;
  /** The times of the first dashboard with a filter after each restart of the api, ms. */
  readonly restarted: readonly number[];
  /** MB, from the beginning to the end of the load. */
  readonly memory: readonly Usage[];
  /** CPU seconds before the load, and after all of it was answered. */
  readonly cpu: { readonly before: Usage; readonly after: Usage; readonly tookMs: number };
  /** The growth of what is counted, meanwhile. */
  readonly growth: Counted;
}

interface Counted {
  readonly views: number;
  readonly clicks: number;
}

/** Measures an installation whose log ends now and grows, while dashboards and a funnel of all its days are asked for. */
export function measureGrowingDay(order: BenchContext): Promise<GrowingDay> {
  const { events, todayEvents } = order;
  const plan = { ...planFor(events + todayEvents), today: todayEvents / (events + todayEvents) };
  return withFilled([plan], order, async ({ installation, log }) => {
    const tracker = await installation.start('tracker');
    await installation.start('projector');
    const asking = new Asking(installation, lastDays(plan).startDate, await installation.start('api'));
    try {
      const counted = async () => {
        await sleep(UNTIL_COMMITTED_MS);
        await catchUp(log, installation.databaseUrl);
        return asking.counted();
      };
      await warmUp(asking, tracker, order);
      const before = await counted();
      const grown = await whileItGrows(asking, tracker, order);
      const after = await counted();
      const growth = { views: after.views - before.views, clicks: after.clicks - before.clicks };
      return { ...grown, growth, restarted: await asking.restarts() };
    } finally {
      asking.close();
    }
  });
}

async function warmUp(asking: Asking, tracker: RunningApp, { seconds, print }: BenchContext): Promise<void> {
  print('today: warming up');
  await withArrivals(asking, tracker, Math.min(seconds / 2, WARM_UP_SECONDS), async () => {
    for (const kind of ['unfiltered', 'filtered', 'funnel'] as const)
      await repeated(() => asking.ask(kind, 0), WARM_UP);
  });
}

async function whileItGrows(
  asking: Asking,
  tracker: RunningApp,
  { seconds, print, detail }: BenchContext,
): Promise<Omit<GrowingDay, 'growth' | 'restarted'>> {
  print(`today: ${perSecond(EVENTS_PER_SECOND, 'events')} for ${count(seconds)} s`);
  const { installation } = asking;
  const before = installation.usage(cpuSeconds);
  const startedAt = performance.now();
  const over = new AbortController();
  const watching = watchMemory(asking, over.signal, print);
  try {
    const { batch, clicks, done } = await withArrivals(asking, tracker, seconds, () =>
      Promise.all([
        askSteadily(asking, 'unfiltered', seconds),
        askSteadily(asking, 'filtered', seconds),
        askSteadily(asking, 'funnel', seconds),
      ]),
    );
    const cpu = { before, after: installation.usage(cpuSeconds), tookMs: performance.now() - startedAt };
    over.abort();
    const [unfiltered, filtered, funnel] = done;
    const measured = { batch, clicks, answers: { unfiltered, filtered, funnel }, memory: await watching, cpu };
    detail('today', measured);
    return measured;
  } finally {
    over.abort();
  }
}

let streams = 0;

/** Does some work while events arrive over /batch and a link is followed. */
async function withArrivals<T>(
  { installation }: Asking,
  { url }: RunningApp,
  seconds: number,
  work: () => Promise<T>,
): Promise<Pick<GrowingDay, 'batch' | 'clicks'> & { readonly done: T }> {
  const { slug, subjects } = installation.registered;
  const common = { connections: 20, seconds, name: `today${streams++}` };
  const batchUrl = `${url}/batch?client_id=${subjects[0].websiteId}`;
  const over = new AbortController();
  try {
    const [batch, clicks, done] = await Promise.all([
      runLoad({ ...common, url: batchUrl, rate: EVENTS_PER_SECOND, events: 1, newVisitors: true }, over.signal),
      runLoad({ ...common, url: `${url}/${slug}`, rate: CLICKS_PER_SECOND }, over.signal),
      work(),
    ]);
    return { batch, clicks, done };
  } finally {
    over.abort();
  }
}

/** Asks at the pace of the kind, whether or not earlier questions are answered. */
async function askSteadily(asking: Asking, kind: Asked, seconds: number): Promise<Answers> {
  const { everyMs, afterMs } = PACES[kind];
  const startedAt = performance.now() + afterMs;
  const took: number[] = [];
  const failures: string[] = [];
  const pending: Promise<void>[] = [];
  for (let turn = 0; turn * everyMs + afterMs < seconds * 1_000; turn++) {
    const dueAt = startedAt + turn * everyMs;
    await sleep(Math.max(dueAt - performance.now(), 0));
    const answered = asking.ask(kind, turn).then(
      () => void took.push(performance.now() - dueAt),
      (error: unknown) => void failures.push(String(error)),
    );
    pending.push(answered);
  }
  await Promise.all(pending);
  return { took, failures };
}

async function watchMemory(
  { installation, latest }: Asking,
  over: AbortSignal,
  print: BenchContext['print'],
): Promise<readonly Usage[]> {
  const report = throttled(({ api, all }: Usage) =>
    print(`today: api ${count(api)} MB, all ${count(all)} MB; the latest filtered dashboard ${ms(latest.filtered)}`),
  );
  const memory = [installation.usage(memoryMegabytes)];
  while (!over.aborted) {
    await sleep(MEMORY_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
    const now = installation.usage(memoryMegabytes);
    memory.push(now);
    report(now);
  }
  return memory;
}

/** The questions of all days of a website, to an api that can be restarted. */
class Asking {
  /** The times that the latest answers took, ms. */
  readonly latest: Record<Asked, number> = { unfiltered: NaN, filtered: NaN, funnel: NaN };
  private client: QueryClient;

  constructor(
    readonly installation: Installation,
    private readonly startDate: string,
    private api: RunningApp,
  ) {
    this.client = this.connect();
  }

  async ask(kind: Asked, turn: number): Promise<void> {
    const types = kind === 'funnel' ? [FUNNEL_OF_THREE] : DASHBOARD;
    const filters = kind === 'filtered' ? FILTERS.slice(turn % FILTERS.length).slice(0, 1) : [];
    this.latest[kind] = await timed(() => this.client.ask({ ...this.days(), types, filters }));
  }

  /** Page views of the website and clicks of the link so far. */
  async counted(): Promise<Counted> {
    const { linkId } = this.installation.registered.subjects[0];
    const [views] = await this.client.ask({ ...this.days(), types: ['summary_metrics'] });
    const ofLink = { ...this.days(), subject: `link_id=${linkId}`, types: ['link_total_clicks'] };
    const [clicks] = await this.client.ask(ofLink);
    return { views: Number(views?.data[0]?.pageviews), clicks: Number(clicks?.data[0]?.total) };
  }

  /** Returns how long the first filtered dashboard takes after each restart, ms. */
  async restarts(): Promise<readonly number[]> {
    const took: number[] = [];
    while (took.length < RESTARTS) {
      this.close();
      await this.api.stop();
      this.api = await this.installation.start('api');
      this.client = this.connect();
      await this.ask('filtered', took.length);
      took.push(this.latest.filtered);
    }
    return took;
  }

  close(): void {
    this.client.close();
  }

  private connect(): QueryClient {
    return new QueryClient(this.api.url, this.installation.registered.apiKey);
  }

  /** Up to now, which may be the day after that in which the bench began. */
  private days(): Pick<Query, 'subject' | 'startDate' | 'endDate'> {
    const { endDate } = lastDays({ end: Date.now(), days: 1 });
    const { websiteId } = this.installation.registered.subjects[0];
    return { subject: `website_id=${websiteId}`, startDate: this.startDate, endDate };
  }
}
