import { count, ms, type Figure } from '../figure';
import { DAYS, lastDays } from '../fill';
import { QueryClient, type Parameter } from '../query-client';
import { quantile, repeated, type Effort } from '../statistics';
import type { Part } from './part';

const page = (path: string) => ({ kind: 'page', filters: [{ field: 'path', op: 'eq', value: path }] });
const STEPS = ['/', '/pricing', '/features', '/docs', '/blog', '/sign-up', '/docs/getting-started', '/contact'].map(
  (path) => ({ condition: page(path) }),
);
const funnel = (steps: readonly object[]) => ({ name: 'funnel', funnel: { steps, window: '30d' } });
export const FUNNEL_OF_THREE: Parameter = funnel(STEPS.slice(0, 3));
export const FUNNEL_OF_32: Parameter = funnel([...STEPS, ...STEPS, ...STEPS, ...STEPS]);
const JOINED = { condition: { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'newsletter_joined' }] } };

const ASKED: readonly { readonly what: string; readonly wantedMs: number; readonly parameter: Parameter }[] = [
  { what: 'Funnel of eight steps', wantedMs: 150, parameter: funnel(STEPS) },
  {
    what: 'Funnel of 32 steps',
    wantedMs: 400,
    parameter: FUNNEL_OF_32,
  },
  {
    what: 'Retention of twelve weeks',
    wantedMs: 150,
    parameter: { name: 'retention', first: 'visit', again: 'visit', period: 'week', periods: 12 },
  },
  {
    what: 'A goal with its rate by country',
    wantedMs: 150,
    parameter: { name: 'goal_by', goal: JOINED, by: 'country' },
  },
];
const WARM_UP: Effort = { times: 3, atLeast: 1, forMs: 1_000 };
const MEASURED: Effort = { times: 20, atLeast: 5, forMs: 20_000 };

/** P20: funnels, retention and goals over the large website. */
export const goals: Part = async ({ loaded, print }) => {
  const { installation, large, plan, events } = await loaded();
  const api = await installation.start('api');
  const client = new QueryClient(api.url, installation.registered.apiKey);
  const figures: Figure[] = [];
  try {
    for (const { what, wantedMs, parameter } of ASKED) {
      const question = { subject: `website_id=${large.websiteId}`, types: [parameter], ...lastDays(plan) };
      await repeated(() => client.ask(question), WARM_UP);
      const took = await repeated(() => client.ask(question), MEASURED);
      const p50 = quantile(took, 0.5);
      const p95 = quantile(took, 0.95);
      print(`goals: ${what}: ${ms(p95)} (p95)`);
      figures.push({
        id: 'P20',
        what: `${what}, ${count(events.large)} events, ${DAYS} days`,
        target: `p95 ≤ ${ms(wantedMs)}`,
        measured: `p95 ${ms(p95)}, p50 ${ms(p50)}`,
        yardstick: '',
        ratio: '',
        isMet: p95 <= wantedMs,
      });
    }
  } finally {
    client.close();
    await api.stop();
  }
  return figures;
};
