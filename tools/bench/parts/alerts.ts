import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { count, ms, type Figure } from '../figure';
import type { Loaded } from '../loaded';
import { quantile, repeated, type Effort } from '../statistics';
import type { BenchContext, Part } from './part';

const TRIED: Effort = { times: 5, atLeast: 3, forMs: 20_000 };
const RULES = { all: 100, questions: 50 };
const WINDOW_MINUTES = 5;
const GRACE_SECONDS = 30;
const WANTED = { trialMs: 2_000, toldMs: 10_000, share: 0.1 };
const LOOK_EVERY_MS = 100;
/** Until what a start and a filling leave to do is done, and as long as is measured without rules. */
const REST_MS = 120_000;

const rule = (details: object) => ({ figure: 'pageviews', compare: 'above', threshold: 100_000, ...details });
const CHANGED = { window: { minutes: 60 }, compare: 'changed', threshold: null, percent: 50 };
const IN_GERMANY = [{ field: 'country', op: 'eq', value: 'DE' }];

const TRIALS = [
  { what: 'visitors', rule: { ...CHANGED, figure: 'visitors' } },
  { what: 'page views from a country', rule: { ...CHANGED, figure: 'pageviews', filters: IN_GERMANY } },
];

/** P26: trials of hourly rules over 90 days, and what it costs to decide on rules of five minutes. */
export const alerts: Part = async (context) => {
  const loaded = await context.loaded();
  const { installation } = loaded;
  const apps = [
    await installation.start('api'),
    await installation.start('projector'),
    await installation.start('tracker'),
  ];
  try {
    const api = new AlertClient(apps[0]?.url ?? '', loaded);
    return [...(await trialFigures(context, loaded, api)), ...(await decidingFigures(context, loaded, api))];
  } finally {
    for (const app of apps) await app.stop();
  }
};

async function trialFigures({ print }: BenchContext, { events }: Loaded, api: AlertClient): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { what, rule: tried } of TRIALS) {
    const took = await repeated(() => api.post('/v1/alerts/trial', rule(tried)), TRIED);
    const p50 = quantile(took, 0.5);
    print(`alerts: a trial of ${what}: ${ms(p50)}`);
    figures.push({
      id: 'P26',
      what: `Trial of hourly windows against the usual, ${what}, ${count(events.large)} events`,
      target: `≤ ${ms(WANTED.trialMs)}`,
      measured: `p50 ${ms(p50)}, most ${ms(Math.max(...took))}`,
      yardstick: '',
      ratio: '',
      isMet: p50 <= WANTED.trialMs,
    });
  }
  return figures;
}

async function decidingFigures({ print }: BenchContext, { installation }: Loaded, api: AlertClient): Promise<Figure[]> {
  await sleep(REST_MS);
  const shareOf = async (work: () => Promise<unknown>) => {
    const before = installation.cpuSeconds();
    const startedAt = performance.now();
    await work();
    return ((installation.cpuSeconds() - before) * 1_000) / (performance.now() - startedAt);
  };
  const shareBefore = await shareOf(() => sleep(REST_MS));
  print(`alerts: without rules ${percent(shareBefore)} of a core`);
  for (let n = 0; n < RULES.all; n++) {
    const filters = [{ field: 'path', op: 'ne', value: `/page-${n % RULES.questions}` }];
    await api.post('/v1/alerts', rule({ window: { minutes: WINDOW_MINUTES }, filters, graceSeconds: GRACE_SECONDS }));
  }
  print(`alerts: ${RULES.all} rules of ${RULES.questions} questions`);
  const pool = openPool({ url: installation.databaseUrl, name: 'bench-alerts', max: 1 });
  const windowMs = WINDOW_MINUTES * 60_000;
  const end = Math.ceil(Date.now() / windowMs) * windowMs;
  try {
    const lateness = await untilDecided(pool, end);
    print(`alerts: decided ${ms(lateness)} after window and grace`);
    const share = (await shareOf(() => untilDecided(pool, end + windowMs))) - shareBefore;
    return [
      {
        id: 'P26',
        what: `${RULES.all} rules decided after their window and grace, the last of them`,
        target: `≤ ${ms(WANTED.toldMs)}`,
        measured: ms(lateness),
        yardstick: '',
        ratio: '',
        isMet: lateness <= WANTED.toldMs,
      },
      {
        id: 'P26',
        what: `CPU of all processes for them, ${RULES.questions} different questions, over a window`,
        target: `≤ ${percent(WANTED.share)} of a core`,
        measured: percent(share),
        yardstick: `${percent(shareBefore)} without rules`,
        ratio: '',
        isMet: share <= WANTED.share,
      },
    ];
  } finally {
    await pool.end();
  }
}

/** Answers how long after its end and grace, ms, all rules have decided on a window. */
async function untilDecided(pool: Pool, end: number): Promise<number> {
  for (;;) {
    const [row] = await run<{ left: number }>(
      pool,
      sql`select count(*)::float8 as left from alert_states where decided_until < ${new Date(end)}`,
    );
    if (row?.left === 0) return Date.now() - end - GRACE_SECONDS * 1_000;
    await sleep(LOOK_EVERY_MS);
  }
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

class AlertClient {
  private made = 0;

  constructor(
    private readonly url: string,
    private readonly loaded: Loaded,
  ) {}

  async post(path: string, body: object): Promise<void> {
    const { large, installation } = this.loaded;
    const { organizationId, websiteId } = large;
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': installation.registered.apiKey },
      body: JSON.stringify({ organizationId, websiteId, name: `Rule ${this.made++}`, ...body }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
}
