import type { Asker } from '../ask';
import { count, ms, perSecond, type Figure } from '../figure';
import type { Loaded } from '../loaded';
import { quantile, timed } from '../statistics';
import { lastDays } from './last-days';

const TYPES = ['summary_metrics', 'events_by_date', 'top_pages', 'top_referrers', 'country', 'device_types'];
const AT_ONCE = [1, 5, 20];
const TIMES = 10;

/** Six types in one request over the large website, asked by several at once. */
export async function dashboards(
  asker: Asker,
  { large, events }: Loaded,
  say: (line: string) => void,
): Promise<Figure[]> {
  const question = { subject: `website_id=${large.websiteId}`, types: TYPES, ...lastDays() };
  const figures: Figure[] = [];
  for (const callers of AT_ONCE) {
    const took: number[] = [];
    const caller = async () => {
      for (let at = 0; at < TIMES; at++) took.push(await timed(() => asker.ask(question)));
    };
    const total = await timed(() => Promise.all(Array.from({ length: callers }, caller)));
    say(`query: dashboard, ${callers} at once: p50 ${ms(quantile(took, 0.5))}, p95 ${ms(quantile(took, 0.95))}`);
    figures.push({
      id: '',
      what: `Dashboard of six types, ${count(events.large)} events, ${callers} at once`,
      target: '',
      measured: `p50 ${ms(quantile(took, 0.5))}, p95 ${ms(quantile(took, 0.95))}`,
      yardstick: '',
      ratio: perSecond(took.length / (total / 1000), ''),
      isMet: null,
    });
  }
  return figures;
}
