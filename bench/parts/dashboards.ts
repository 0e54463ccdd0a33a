import type { QueryClient } from '../query-client';
import { count, ms, perSecond, type Figure } from '../figure';
import type { Loaded } from '../loaded';
import { quantile, repeated, type Effort } from '../statistics';
import { lastDays } from '../fill';
import type { BenchContext } from './part';

export const DASHBOARD = ['summary_metrics', 'events_by_date', 'top_pages', 'top_referrers', 'country', 'device_types'];
const AT_ONCE = [1, 5, 20];
/** Of each caller. */
const ASKS: Effort = { times: 10, atLeast: 2, forMs: 15_000 };

/** Six types in one request over the large website, asked by several at once. */
export async function dashboards(
  client: QueryClient,
  { large, events }: Loaded,
  { print, detail }: BenchContext,
): Promise<Figure[]> {
  const question = { subject: `website_id=${large.websiteId}`, types: DASHBOARD, ...lastDays() };
  const figures: Figure[] = [];
  const details: object[] = [];
  await client.ask(question);
  for (const callers of AT_ONCE) {
    const startedAt = performance.now();
    const caller = () => repeated(() => client.ask(question), ASKS);
    const took = (await Promise.all(Array.from({ length: callers }, caller))).flat();
    const perMs = took.length / (performance.now() - startedAt);
    const [p50, p95] = [quantile(took, 0.5), quantile(took, 0.95)];
    print(`query: dashboard, ${callers} at once: p50 ${ms(p50)}, p95 ${ms(p95)} of ${took.length}`);
    details.push({ callers, p50, p95, runs: took.length, perSecond: perMs * 1000 });
    detail('dashboards', details);
    figures.push({
      id: '',
      what: `Dashboard of six types, ${count(events.large)} events, ${callers} at once`,
      target: '',
      measured: `p50 ${ms(p50)}, p95 ${ms(p95)} of ${took.length}`,
      yardstick: '',
      ratio: perSecond(perMs * 1000, ''),
      isMet: null,
    });
  }
  return figures;
}
