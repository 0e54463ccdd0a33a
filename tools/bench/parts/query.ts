import { count, ms, times, type Figure } from '../figure';
import { DAYS } from '../fill';
import type { Loaded } from '../loaded';
import { QueryClient } from '../query-client';
import { median } from '../statistics';
import type { BenchContext, Part } from './part';
import { growthOf, timeType, type Sample, type Timing } from './type-timings';

const WANTED_MS = 25;
const WANTED_FILTERED_MS = 150;
const WANTED_GROWTH = 1.5;

/** P6 and P7: every query type over HTTP. */
export const query: Part = async (order) => {
  const all = await order.loaded();
  const api = await all.installation.start('api');
  const client = new QueryClient(api.url, all.installation.registered.apiKey);
  try {
    return await everyType(client, all, order);
  } finally {
    client.close();
    await api.stop();
  }
};

async function everyType(client: QueryClient, all: Loaded, { print, detail }: BenchContext): Promise<Figure[]> {
  const timings: Timing[] = [];
  const types = (await client.types()).filter(({ about }) => about !== 'monitor'); // no monitor is checked here
  for (const type of types) {
    const timing = await timeType(client, all, type);
    timings.push(timing);
    detail('types', timings);
    print(`query: ${described(timing)} (p95)`);
  }
  return typeFigures(timings, all);
}

function described({ name, ...samples }: Timing): string {
  const some = Object.entries(samples).flatMap(([which, sample]: [string, Sample | undefined]) =>
    sample ? [`${which} ${sample.error === undefined ? ms(sample.p95) : `not answered (${sample.error})`}`] : [],
  );
  return `${name}: ${some.join(', ')}`;
}

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
    limitFigure(
      'The same with a filter that leaves a quarter',
      chosen(({ quarter }) => quarter),
    ),
    limitFigure(
      'The same in another zone',
      chosen(({ otherZone }) => otherZone),
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

function limitFigure(what: string, slowestFirst: Chosen, wanted?: number): Figure {
  const within = slowestFirst.filter(({ sample }) => wanted === undefined || sample.p95 <= wanted).length;
  const slowest = slowestFirst.slice(0, 2).map(({ name, sample }) => `${name} ${ms(sample.p95)}`);
  const runs = slowestFirst.map(({ sample }) => sample.runs);
  return {
    id: 'P6',
    what: `${what}; ${Math.min(...runs)} to ${Math.max(...runs)} runs of each`,
    target: wanted === undefined ? '' : `p95 ≤ ${ms(wanted)}`,
    measured: `median type ${ms(median(slowestFirst.map(({ sample }) => sample.p95)))}; slowest ${slowest.join(', ')}`,
    yardstick: '',
    ratio: wanted === undefined ? '' : `${within} of ${slowestFirst.length}`,
    isMet: wanted === undefined ? null : within === slowestFirst.length,
  };
}
