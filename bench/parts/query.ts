import { QueryClient } from '../query-client';
import { count, ms, perCpuSecond, perSecond, times, type Figure } from '../figure';
import { DAYS } from '../fill';
import type { Loaded } from '../loaded';
import { median } from '../statistics';
import { againstRawSql } from './against-raw-sql';
import { dashboards } from './dashboards';
import type { BenchContext, Part } from './part';
import { growthOf, timeType, type Sample, type Timing } from './type-timings';

const [WANTED_MS, WANTED_FILTERED_MS, WANTED_GROWTH] = [25, 250, 1.5];

/** P6, P7, P8 and the dashboard: every query type over HTTP. */
export const query: Part = async (order) => {
  const all = await order.loaded();
  const api = await all.installation.start('api');
  const client = new QueryClient(api.url, all.installation.registered.apiKey);
  const figures: Figure[] = [];
  try {
    for (const measure of [everyType, dashboards, againstRawSql]) {
      // TRICKY: what fails late in a long run must not take the rest with it
      await measure(client, all, order).then(
        (measured) => figures.push(...measured),
        (error: unknown) => {
          process.exitCode = 1;
          order.print(`query: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        },
      );
    }
    return figures;
  } finally {
    client.close();
    await api.stop();
  }
};

async function everyType(client: QueryClient, all: Loaded, { print, detail }: BenchContext): Promise<Figure[]> {
  const timings: Timing[] = [];
  for (const type of await client.types()) {
    const timing = await timeType(client, all, type);
    const { name, small, large, filtered } = timing;
    timings.push(timing);
    detail('types', timings);
    print(`query: ${name}: ${told(small)}, ${told(large)}${filtered ? `, filtered ${told(filtered)}` : ''} (p95)`);
  }
  return [...typeFigures(timings, all), projectedFigure(all)];
}

const told = ({ p95, runs, error }: Sample): string =>
  error === undefined ? `${ms(p95)} of ${runs}` : `not answered (${error})`;

type Chosen = readonly { readonly name: string; readonly sample: Sample }[];

function typeFigures(timings: readonly Timing[], { events }: Loaded): Figure[] {
  const chosen = (of: (timing: Timing) => Sample | undefined): Chosen =>
    timings
      .flatMap((each) => ({ name: each.name, sample: of(each) }))
      .flatMap(({ name, sample }) => (sample ? [{ name, sample }] : []))
      .sort((a, b) => b.sample.p95 - a.sample.p95);
  const websites = timings.filter(({ name }) => !name.startsWith('link_')); // both websites share one link
  const grown = websites
    .map((timing) => ({ name: timing.name, growth: growthOf(timing) }))
    .sort((a, b) => b.growth - a.growth);
  const growth = grown.map((each) => each.growth);
  const about = `${count(events.large)} events, ${DAYS} days`;
  return [
    limitFigure(
      `Every query type, ${about}`,
      chosen(({ large }) => large),
      WANTED_MS,
    ),
    limitFigure(
      'The same with two filters',
      chosen(({ filtered }) => filtered),
      WANTED_FILTERED_MS,
    ),
    {
      id: 'P7',
      what: `Growth of p95 from ${count(events.small)} to ${count(events.large)} events`,
      target: `≤ ${WANTED_GROWTH}×`,
      measured: `median ${times(median(growth))}; most ${times(growth[0] ?? NaN)} (${grown[0]?.name ?? ''})`,
      yardstick: '',
      ratio: times(median(growth)),
      isMet: growth.every((each) => each <= WANTED_GROWTH),
    },
  ];
}

function limitFigure(what: string, slowestFirst: Chosen, wanted: number): Figure {
  const over = slowestFirst.filter(({ sample }) => sample.p95 > wanted).length;
  const slowest = slowestFirst.slice(0, 2).map(({ name, sample }) => `${name} ${ms(sample.p95)}`);
  const runs = slowestFirst.map(({ sample }) => sample.runs);
  return {
    id: 'P6',
    what: `${what}; ${Math.min(...runs)} to ${Math.max(...runs)} runs of each`,
    target: `p95 ≤ ${ms(wanted)}`,
    measured: `median type ${ms(median(slowestFirst.map(({ sample }) => sample.p95)))}; slowest ${slowest.join(', ')}`,
    yardstick: '',
    ratio: `${slowestFirst.length - over} of ${slowestFirst.length}`,
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
