import { count, ms, percent, perSecond, times, type Figure } from '../figure';
import { lastDays, planFor } from '../fill';
import type { Usage } from '../installation/installation';
import { withFilled } from '../loaded';
import { QueryClient, type Filter, type Parameter } from '../query-client';
import { quantile, repeated, timed, type Effort } from '../statistics';
import { DASHBOARD } from './dashboards';
import { QUARTER, TWELFTH } from './filters';
import { FUNNEL_OF_THREE } from './goals';
import { EVENTS_PER_SECOND, measureGrowingDay, type Answers, type GrowingDay } from './growing-day';
import type { BenchContext, Part } from './part';

/** ms, and MB of memory, at 500,000 events of today. */
const WANTED = {
  filtered: { p50: 60, p99: 150 },
  restartedMs: 1_500,
  memory: { api: 350, projector: 300, tracker: 150, postgres: undefined, all: 900 },
  slower: 1.3,
} as const;
/** Share of the events that are of today, where it is compared with none. */
const SHARE = 0.1;
const WARM_UP: Effort = { times: 5, atLeast: 2, forMs: 3_000 };
const ROUNDS = 20;

/** P21: a day that grows while it is asked for, and what its events cost beside none of today. */
export const today: Part = async (order) => {
  const grown = figuresOf(order, await measureGrowingDay(order));
  return [...grown, ...(await besideNone(order))];
};

const figure = (what: string, rest: Omit<Partial<Figure>, 'id' | 'what'>): Figure => ({
  id: 'P21',
  what,
  target: '',
  measured: '',
  yardstick: '',
  ratio: '',
  isMet: null,
  ...rest,
});

function figuresOf({ events, todayEvents, seconds }: BenchContext, day: GrowingDay): Figure[] {
  const { answers, batch, restarted } = day;
  const growing = `${count(events)} events and ${count(todayEvents)} of today, growing by ${perSecond(EVENTS_PER_SECOND, 'events')} for ${count(seconds)} s`;
  return [
    answersFigure(`Dashboard of six types, ${growing}`, answers.unfiltered),
    answersFigure('The same with one filter', answers.filtered, WANTED.filtered),
    answersFigure('Funnel of three steps', answers.funnel),
    figure('/batch of one event meanwhile', {
      measured: `p50 ${ms(batch.p50)}, p99 ${ms(batch.p99)}, ${batch.failed} failed; p99 of the sender's own delay, which they include: ${ms(batch.lateP99 ?? NaN)}`,
    }),
    figure('First dashboard with one filter of a restarted api', {
      target: `≤ ${ms(WANTED.restartedMs)}`,
      measured: restarted.map(ms).join(', '),
      isMet: Math.max(...restarted) <= WANTED.restartedMs,
    }),
    ...(['api', 'projector', 'tracker', 'postgres', 'all'] as const).map((name) => memoryFigure(name, day.memory)),
    cpuFigure(day),
    countedFigure(day),
  ];
}

function answersFigure(
  what: string,
  { took, failures }: Answers,
  wanted?: { readonly p50: number; readonly p99: number },
): Figure {
  const p50 = quantile(took, 0.5);
  const p99 = quantile(took, 0.99);
  const failed = failures.length === 0 ? '0 failed' : `${failures.length} failed (${failures[0] ?? ''})`;
  const measured = `p50 ${ms(p50)}, p99 ${ms(p99)} of ${took.length}; ${failed}`;
  if (wanted === undefined) return figure(what, { measured });
  const isMet = p50 <= wanted.p50 && p99 <= wanted.p99 && failures.length === 0;
  return figure(what, { target: `p50 ≤ ${ms(wanted.p50)}, p99 ≤ ${ms(wanted.p99)}`, measured, isMet });
}

function memoryFigure(name: keyof Usage, memory: readonly Usage[]): Figure {
  const megabytes = memory.map((usage) => usage[name]);
  const begin = megabytes[0] ?? NaN;
  const end = megabytes.at(-1) ?? NaN;
  const most = Math.max(...megabytes);
  const wanted = WANTED.memory[name];
  return figure(`Memory (PSS) of ${name === 'all' ? 'all with Postgres' : name}`, {
    target: wanted === undefined ? '' : `≤ ${wanted} MB`,
    measured: `${count(begin)} MB at the beginning, ${count(most)} at most, ${count(end)} at the end`,
    ratio: times(end / begin),
    isMet: wanted === undefined ? null : most <= wanted,
  });
}

function cpuFigure({ cpu, batch }: GrowingDay): Figure {
  const each = (['api', 'projector', 'tracker', 'postgres', 'all'] as const).map((name) => {
    const used = cpu.after[name] - cpu.before[name];
    return `${name} ${used.toFixed(1)} s (${percent((used * 1_000) / cpu.tookMs)} of a core, ${count((used * 1e6) / batch.answered)} µs an event)`;
  });
  return figure('CPU of each process meanwhile', { measured: each.join(', ') });
}

function countedFigure({ batch, clicks, growth }: GrowingDay): Figure {
  return figure('Counted at the end', {
    target: 'what was acknowledged',
    measured: `${count(growth.views)} page views, ${count(growth.clicks)} clicks`,
    yardstick: `${count(batch.answered)} (${batch.failed} failed), ${count(clicks.answered)} (${clicks.failed} failed)`,
    isMet: growth.views === batch.answered && growth.clicks === clicks.answered,
  });
}

const COMPARED: readonly { what: string; types: readonly Parameter[]; filters: readonly Filter[] }[] = [
  { what: 'Funnel of three steps', types: [FUNNEL_OF_THREE], filters: [] },
  { what: 'Dashboard of six types with two filters', types: DASHBOARD, filters: TWELFTH },
  { what: 'Dashboard of six types with one filter', types: DASHBOARD, filters: QUARTER },
];

/** Two websites with as many events, of which a tenth or none are of today, asked in turn. */
function besideNone(order: BenchContext): Promise<Figure[]> {
  const plans = [SHARE, 0].map((share) => ({ ...planFor(order.events), today: share }));
  return withFilled(plans, order, async ({ installation }) => {
    const api = await installation.start('api');
    const { apiKey, subjects } = installation.registered;
    const client = new QueryClient(api.url, apiKey);
    try {
      const figures: Figure[] = [];
      for (const { what, ...asked } of COMPARED) {
        const asks = plans.map(
          (plan, nth) => () =>
            client.ask({ subject: `website_id=${subjects[nth]?.websiteId ?? ''}`, ...lastDays(plan), ...asked }),
        );
        const took = await inTurn(asks);
        order.detail(`today: ${what}`, took);
        order.print(`today: ${what}: ${took.map((each) => ms(quantile(each, 0.5))).join(' beside ')} without`);
        figures.push(shareFigure(`${what}, ${count(order.events)} events, ${percent(SHARE)} of them of today`, took));
      }
      return figures;
    } finally {
      client.close();
    }
  });
}

/** Returns how long each of several takes, ms. */
async function inTurn(asks: readonly (() => Promise<unknown>)[]): Promise<number[][]> {
  for (const ask of asks) await repeated(ask, WARM_UP);
  const took = asks.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [nth, ask] of asks.entries()) took[nth]?.push(await timed(ask));
  return took;
}

function shareFigure(what: string, [some = [], none = []]: readonly number[][]): Figure {
  const p50 = quantile(some, 0.5);
  const withoutToday = quantile(none, 0.5);
  return figure(what, {
    target: `p50 ≤ ${WANTED.slower}× of none`,
    measured: `p50 ${ms(p50)}, p95 ${ms(quantile(some, 0.95))}`,
    yardstick: `p50 ${ms(withoutToday)}, p95 ${ms(quantile(none, 0.95))}`,
    ratio: times(p50 / withoutToday),
    isMet: p50 <= withoutToday * WANTED.slower,
  });
}
