import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { count, ms, perSecond, type Figure } from '../figure';
import { lastDays } from '../fill';
import { DIST, type RunningApp } from '../installation/installation';
import type { Loaded } from '../loaded';
import { QueryClient, type Filter, type Query } from '../query-client';
import { quantile, repeated, timed, type Effort } from '../statistics';
import { QUARTER, TWELFTH } from './filters';
import type { Part } from './part';

export const DASHBOARD = ['summary_metrics', 'events_by_date', 'top_pages', 'top_referrers', 'country', 'device_types'];

interface Variant {
  readonly name: string;
  readonly filters: readonly Filter[];
  /** The wanted times of one caller, at two million events, ms. */
  readonly wanted?: { readonly warm: number; readonly cold?: number };
}

const VARIANTS: readonly Variant[] = [
  { name: 'without filters', filters: [] },
  { name: 'with two filters', filters: TWELFTH, wanted: { warm: 60, cold: 120 } },
  { name: 'with a filter that leaves a quarter', filters: QUARTER, wanted: { warm: 110 } },
];
const AT_ONCE = [1, 5, 20];
/** The effort of each caller. */
const ASKS: Effort = { times: 20, atLeast: 2, forMs: 15_000 };
const STARTS = 5;
/** By the small website: code, connections and plans are ready, what is kept of the large website is not. */
const WARM_UP: Effort = { times: 20, atLeast: 5, forMs: 5_000 };

/** The way in which a dashboard was asked, and its times, ms. */
interface Asked extends Variant {
  readonly how: 'cold' | number;
  readonly took: readonly number[];
  readonly perSecond?: number;
  /** The longest time, ms of CPU, that the api's thread was held meanwhile. */
  readonly held?: number;
}

/** The api's thread decides and serves; counting is the work of others. */
const MOST_HELD_MS = 10;

/** P16: six types in one request over the large website, by an api that never read it and by several callers at once. */
export const dashboards: Part = async ({ loaded, print, detail }) => {
  const all = await loaded();
  const asked: Asked[] = [];
  for (const variant of VARIANTS) {
    for (const how of ['cold', ...AT_ONCE] as const) {
      asked.push({ ...variant, how, ...(how === 'cold' ? await cold(all, variant) : await warm(all, variant, how)) });
      detail('dashboards', asked);
      print(`dashboards: ${variant.name}, ${how}: p50 ${ms(quantile(asked.at(-1)?.took ?? [], 0.5))}`);
    }
  }
  return asked.flatMap((each) => [figure(each, all.events.large), ...heldFigure(each)]);
};

async function cold(all: Loaded, variant: Variant): Promise<Pick<Asked, 'took'>> {
  const took: number[] = [];
  while (took.length < STARTS) {
    await withApi(all, async (client) => {
      await repeated(() => client.ask(question(all, variant, all.small)), WARM_UP);
      took.push(await timed(() => client.ask(question(all, variant))));
    });
  }
  return { took };
}

async function warm(
  all: Loaded,
  variant: Variant,
  callers: number,
): Promise<Pick<Asked, 'took' | 'perSecond' | 'held'>> {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerline-bench-'));
  const heldTo = join(folder, 'held');
  try {
    const measured = await withApi(
      all,
      async (client, { pid }) => {
        const ask = () => client.ask(question(all, variant));
        await repeated(ask, WARM_UP);
        process.kill(pid, 'SIGUSR2');
        const startedAt = performance.now();
        const took = (await Promise.all(Array.from({ length: callers }, () => repeated(ask, ASKS)))).flat();
        return { took, perSecond: (took.length * 1_000) / (performance.now() - startedAt) };
      },
      { preload: join(DIST, 'tools', 'bench', 'installation', 'thread-holds.js'), HELD_TO: heldTo },
    );
    return { ...measured, held: Number(readFileSync(heldTo, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const question = ({ plan, large }: Loaded, { filters }: Variant, { websiteId } = large): Query => ({
  subject: `website_id=${websiteId}`,
  types: DASHBOARD,
  ...lastDays(plan),
  filters,
});

async function withApi<T>(
  { installation }: Loaded,
  work: (client: QueryClient, api: RunningApp) => Promise<T>,
  options: Parameters<Loaded['installation']['start']>[1] = {},
): Promise<T> {
  const api = await installation.start('api', options);
  const client = new QueryClient(api.url, installation.registered.apiKey);
  try {
    return await work(client, api);
  } finally {
    client.close();
    await api.stop();
  }
}

function figure({ name, how, took, perSecond: rate, wanted }: Asked, events: number): Figure {
  const limit = how === 'cold' ? wanted?.cold : how === 1 ? wanted?.warm : undefined;
  const p50 = quantile(took, 0.5);
  return {
    id: 'P16',
    what: `Dashboard of six types ${name}, ${count(events)} events, ${how === 'cold' ? 'first of an api' : `${how} at once`}`,
    target: limit === undefined ? '' : `p50 ≤ ${ms(limit)}`,
    measured: `p50 ${ms(p50)}, p95 ${ms(quantile(took, 0.95))} of ${took.length}`,
    yardstick: '',
    ratio: rate === undefined ? '' : perSecond(rate, ''),
    isMet: limit === undefined ? null : p50 <= limit,
  };
}

function heldFigure({ name, how, held, filters }: Asked): readonly Figure[] {
  if (held === undefined || filters.length === 0) return [];
  return [
    {
      id: 'P16',
      what: `Longest hold of the api's thread meanwhile, ${name}, ${how} at once`,
      target: how === 1 ? `≤ ${ms(MOST_HELD_MS)}` : '',
      measured: ms(held),
      yardstick: '',
      ratio: '',
      isMet: how === 1 ? held <= MOST_HELD_MS : null,
    },
  ];
}
