import { lastDays } from '../fill';
import type { Loaded } from '../loaded';
import type { QueryClient, Filter, Query, QueryTypeInfo } from '../query-client';
import { quantile, repeated, type Effort } from '../statistics';
import { QUARTER, TWELFTH } from './filters';

/** ms over so many runs. */
export interface Sample {
  readonly p50: number;
  /** With fewer than 20 runs the slowest of them; infinite where the question was not answered. */
  readonly p95: number;
  readonly runs: number;
  readonly error?: string;
}

export interface Timing {
  readonly name: string;
  readonly small: Sample;
  readonly large: Sample;
  /** The times of the large website with two filters; undefined if the type does not take them. */
  readonly filtered: Sample | undefined;
  /** The times with a filter that leaves a quarter. */
  readonly quarter: Sample | undefined;
  /** The times of the large website, in days of another zone than its own. */
  readonly otherZone: Sample;
}

/** Counts how many times longer the large website takes; infinitely where either did not answer. */
export const growthOf = ({ small, large }: Pick<Timing, 'small' | 'large'>): number =>
  small.error === undefined && large.error === undefined ? large.p95 / small.p95 : Infinity;

const OTHER_ZONE = 'America/New_York';
const WARM_UP: Effort = { times: 3, atLeast: 1, forMs: 1_000 };
/** Slow queries run fewer times, so that all types together do not take an hour. */
const MEASURED: Effort = { times: 20, atLeast: 3, forMs: 4_000 };

/** One type asked of both websites, with filters and in another zone. */
export async function timeType(
  client: QueryClient,
  { small, large, plan }: Loaded,
  type: QueryTypeInfo,
): Promise<Timing> {
  const { name, about, allowedFilters, requiredFilters = [], example } = type;
  const sample = async (which: typeof small, filters: readonly Filter[] = [], timezone?: string) => {
    const subject = about === 'link' ? `link_id=${which.linkId}` : `website_id=${which.websiteId}`;
    const base = { subject, types: [{ name, ...example }], ...lastDays(plan), ...(timezone ? { timezone } : {}) };
    const needed = await idFilters(client, base, requiredFilters);
    return sampled(() => client.ask({ ...base, filters: [...filters, ...needed] }));
  };
  const withFilters = (filters: readonly Filter[]) =>
    filters.every(({ field }) => allowedFilters.includes(field)) ? sample(large, filters) : undefined;
  return {
    name,
    small: await sample(small),
    large: await sample(large),
    filtered: await withFilters(TWELFTH),
    quarter: await withFilters(QUARTER),
    otherZone: await sample(large, [], OTHER_ZONE),
  };
}

/** Returns what the type must be asked about: the newest session, or the visitor it is of. */
async function idFilters(client: QueryClient, base: Query, fields: readonly string[]): Promise<readonly Filter[]> {
  if (fields.length === 0) return [];
  const [found] = await client.ask({ ...base, types: ['session_list'], limit: 1 });
  return fields.map((field) => ({ field, op: 'eq', value: String(found?.data[0]?.[field]) }));
}

async function sampled(ask: () => Promise<unknown>): Promise<Sample> {
  try {
    await repeated(ask, WARM_UP);
    const took = await repeated(ask, MEASURED);
    return { p50: quantile(took, 0.5), p95: quantile(took, 0.95), runs: took.length };
  } catch (error) {
    return { p50: Infinity, p95: Infinity, runs: 0, error: error instanceof Error ? error.message : String(error) };
  }
}
