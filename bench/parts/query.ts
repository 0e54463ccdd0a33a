import { Asker, type Filter, type QueryTypeInfo } from '../ask';
import { count, ms, perCpuSecond, perSecond, times, type Figure } from '../figure';
import { DAYS } from '../fill';
import type { Loaded } from '../loaded';
import { median, quantile, timed } from '../statistics';
import { againstRawSql } from './against-raw-sql';
import { dashboards } from './dashboards';
import { lastDays } from './last-days';
import type { Part } from './part';

const [WANTED_MS, WANTED_FILTERED_MS, WANTED_GROWTH] = [25, 250, 1.5];
const [WARM_UPS, TIMES] = [3, 20];
/** Both are fields of every type; together they leave about a twelfth of the traffic. */
const FILTERS: readonly Filter[] = [
  { field: 'country', op: 'eq', value: 'US' },
  { field: 'device_type', op: 'eq', value: 'mobile' },
];

/** P6, P7, P8 and the dashboard: every query type over HTTP. */
export const query: Part = async ({ loaded, say }) => {
  const all = await loaded();
  const api = await all.installation.start('api');
  const asker = new Asker(api.url, all.installation.registered.apiKey);
  try {
    const timings: Timing[] = [];
    for (const type of await asker.types()) {
      const timing = await timeType(asker, all, type);
      timings.push(timing);
      say(`query: ${type.name}: ${ms(timing.small)}, ${ms(timing.large)}, filtered ${ms(timing.filtered)} (p95)`);
    }
    const figures = [...typeFigures(timings, all), projectedFigure(all)];
    return [...figures, ...(await againstRawSql(asker, all, say)), ...(await dashboards(asker, all, say))];
  } finally {
    asker.close();
    await api.stop();
  }
};

/** 95th percentiles, ms; NaN where a type does not know the filters. */
interface Timing {
  readonly name: string;
  readonly small: number;
  readonly large: number;
  readonly filtered: number;
}

async function timeType(asker: Asker, { small, large }: Loaded, type: QueryTypeInfo): Promise<Timing> {
  const { name, about, allowedFilters } = type;
  const subjectOf = (which: typeof small) =>
    about === 'link' ? `link_id=${which.linkId}` : `website_id=${which.websiteId}`;
  const p95 = async (which: typeof small, filters?: readonly Filter[]) => {
    const question = { subject: subjectOf(which), types: [name], ...lastDays(), ...(filters && { filters }) };
    for (let at = 0; at < WARM_UPS; at++) await asker.ask(question);
    const took: number[] = [];
    for (let at = 0; at < TIMES; at++) took.push(await timed(() => asker.ask(question)));
    return quantile(took, 0.95);
  };
  const takesBoth = FILTERS.every(({ field }) => allowedFilters.includes(field));
  const filtered = takesBoth ? await p95(large, FILTERS) : NaN;
  return { name, small: await p95(small), large: await p95(large), filtered };
}

function typeFigures(timings: readonly Timing[], { events }: Loaded): Figure[] {
  const worst = (of: (timing: Timing) => number) =>
    timings.filter((each) => !Number.isNaN(of(each))).sort((a, b) => of(b) - of(a));
  const [unfiltered, filtered] = [worst(({ large }) => large), worst((each) => each.filtered)];
  const websites = timings.filter(({ name }) => !name.startsWith('link_')); // both websites share one link
  const growth = websites.map(({ large, small }) => large / small);
  const grewMost = [...websites].sort((a, b) => b.large / b.small - a.large / a.small)[0];
  const about = `${count(events.large)} events, ${DAYS} days`;
  return [
    limitFigure(`Every query type, ${about}`, unfiltered, ({ large }) => large, WANTED_MS),
    limitFigure('The same with two filters', filtered, (each) => each.filtered, WANTED_FILTERED_MS),
    {
      id: 'P7',
      what: `Growth of p95 from ${count(events.small)} to ${count(events.large)} events`,
      target: `≤ ${WANTED_GROWTH}×`,
      measured: `median ${times(median(growth))}; most ${times(Math.max(...growth))} (${grewMost?.name ?? ''})`,
      yardstick: '',
      ratio: times(median(growth)),
      isMet: Math.max(...growth) <= WANTED_GROWTH,
    },
  ];
}

function limitFigure(what: string, sorted: readonly Timing[], of: (each: Timing) => number, wanted: number): Figure {
  const over = sorted.filter((each) => of(each) > wanted).length;
  const slowest = sorted.slice(0, 2).map((each) => `${each.name} ${ms(of(each))}`);
  return {
    id: 'P6',
    what,
    target: `p95 ≤ ${ms(wanted)}`,
    measured: `median type ${ms(median(sorted.map(of)))}; slowest ${slowest.join(', ')}`,
    yardstick: '',
    ratio: `${sorted.length - over} of ${sorted.length}`,
    isMet: over === 0,
  };
}

const projectedFigure = ({ projected: { events, seconds, cpuSeconds } }: Loaded): Figure => ({
  id: 'P4',
  what: `Projection of ${count(events)} events, nearly all of one website`,
  target: '',
  measured: perSecond(events / seconds, 'events') + perCpuSecond(events / cpuSeconds),
  yardstick: '',
  ratio: '',
  isMet: null,
});
