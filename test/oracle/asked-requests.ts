import fc from 'fast-check';
import { GRANULARITIES } from '@ledgerline/domain/query/buckets';
import { addDays } from '@ledgerline/domain/time/zones';
import { minSamplesOf } from '../../apps/api/src/query/declaration/fields';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { lastDay, type NaiveFilter, type NaiveRequest } from './naive-request';
import type { Row } from './naive-website-answers';
import { range, typeOptions } from './random-requests';
import { ZONES } from './random-traffic';

/** `ORACLE_RUNS=1000 ORACLE_SEED=7 npx jest test/oracle` for the long run or another seed. */
export const RUNS = Number(process.env['ORACLE_RUNS'] ?? 6);
export const SEED = Number(process.env['ORACLE_SEED'] ?? 20_261_121);

export const request = fc.record({
  range,
  /** Instead of the range, in some of them. */
  isLastDay: fc.constantFrom(false, false, false, true),
  ownZone: fc.boolean(),
  zone: fc.constantFrom(...ZONES),
  granularity: fc.constantFrom(...GRANULARITIES),
  /** Minutes after the first day at which somebody asks: in the middle of things, or long after them. */
  asked: fc.constantFrom(2880, 3000, 4321, 400 * 1440),
  /** Comparisons of ranges that are not over: so many hours before an event of the earlier range, on the later one's last day. */
  running: fc.option(fc.record({ event: fc.nat(), hours: fc.integer({ min: 0, max: 3 }) }), {
    freq: 4,
    nil: undefined,
  }),
  byChange: fc.constantFrom(undefined, 'asc' as const, 'desc' as const),
  page: fc.constantFrom(1, 1, 2),
  limit: fc.constantFrom(undefined, undefined, 1, 3),
  options: typeOptions,
  minutes: fc.constantFrom(undefined, 1, 30, 60),
});
export type RandomRequest = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** With what only some types take. */
export function withOptions(type: QueryType, naive: NaiveRequest, { options: { filters, ...rest } }: RandomRequest) {
  const own = ['metric_name', 'link_kind'].find((field) => type.takes.filters.includes(field));
  if (own === undefined) return minSamplesOf(type) ? { ...naive, ...rest } : naive;
  const ofType = own === 'metric_name' ? filters : filters.map(asLinkKind);
  return { ...naive, ...(minSamplesOf(type) && rest), filters: [...naive.filters, ...ofType] };
}

/** Returns the same filter on kinds of links. */
function asLinkKind(filter: NaiveFilter): NaiveFilter {
  const text = JSON.stringify(filter).replaceAll('metric_name', 'link_kind');
  return JSON.parse(text.replace(/LCP|CLS|INP/g, (metric) => KINDS[metric] ?? metric)) as NaiveFilter;
}

const KINDS: Readonly<Record<string, string>> = { LCP: 'link', CLS: 'download', INP: 'own' };

/**
 * Returns the types that are asked without definitions; `apps/api/src/query/history/history.spec.ts` compares what
 * decided events are.
 */
export const typesAbout = (about: 'website' | 'link') =>
  CATALOGUE.filter((type) => type.about === about && type.takes.options.length === 0 && !type.sources.own);

export function naiveRequest(
  random: RandomRequest,
  start: string,
  zone: string,
  filters: readonly NaiveFilter[],
): NaiveRequest {
  const startDate = addDays(start, random.range.from);
  const days = random.granularity === 'hourly' ? random.range.days % 5 : random.range.days;
  const timezone = random.ownZone ? zone : random.zone;
  const now = Date.parse(`${start}T00:00:00Z`) + random.asked * 60_000;
  return {
    ...(random.isLastDay ? lastDay(now, timezone) : { startDate, endDate: addDays(startDate, days) }),
    timezone,
    granularity: random.granularity,
    filters,
    ...(random.minutes ? { minutes: random.minutes } : {}),
    now,
  };
}

export function pageOf(type: QueryType, rows: Row[], page: number, limit: number | undefined): Row[] {
  if (type.shape === 'totals') return page === 1 ? rows : [];
  const size = limit ?? 10_000;
  if (type.shape === 'series' || type.name === 'realtime_velocity') {
    const end = rows.length - (page - 1) * size;
    return rows.slice(Math.max(0, end - size), Math.max(0, end));
  }
  return rows.slice((page - 1) * size, page * size);
}
