import type { QueryClient, Filter, QueryTypeInfo } from '../query-client';
import type { Loaded } from '../loaded';
import { quantile, repeated, type Effort } from '../statistics';
import { lastDays } from '../fill';

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
  /** Of the large website; undefined if the type does not support the filters. */
  readonly filtered: Sample | undefined;
}

/** How many times longer the large website takes; infinitely where either did not answer. */
export const growthOf = ({ small, large }: Pick<Timing, 'small' | 'large'>): number =>
  small.error === undefined && large.error === undefined ? large.p95 / small.p95 : Infinity;

/** Both are fields of nearly every type; together they leave about a twelfth of the traffic. */
const FILTERS: readonly Filter[] = [
  { field: 'country', op: 'eq', value: 'US' },
  { field: 'device_type', op: 'eq', value: 'mobile' },
];
const WARM_UP: Effort = { times: 3, atLeast: 1, forMs: 1_000 };
/** Slow queries run fewer times, so that all types together do not take an hour. */
const MEASURED: Effort = { times: 20, atLeast: 3, forMs: 4_000 };

/** One type asked of both websites, and with two filters. */
export async function timeType(client: QueryClient, { small, large }: Loaded, type: QueryTypeInfo): Promise<Timing> {
  const { name, about, allowedFilters, requiredFilters = [] } = type;
  const sample = async (which: typeof small, filters: readonly Filter[] = []) => {
    const subject = about === 'link' ? `link_id=${which.linkId}` : `website_id=${which.websiteId}`;
    const needed = await idFilters(client, subject, requiredFilters);
    const question = { subject, types: [name], ...lastDays(), filters: [...filters, ...needed] };
    return sampled(() => client.ask(question));
  };
  const takesBoth = FILTERS.every(({ field }) => allowedFilters.includes(field));
  return {
    name,
    small: await sample(small),
    large: await sample(large),
    filtered: takesBoth ? await sample(large, FILTERS) : undefined,
  };
}

/** What the type must be asked about: the newest session, or the visitor it is of. */
async function idFilters(client: QueryClient, subject: string, fields: readonly string[]): Promise<readonly Filter[]> {
  if (fields.length === 0) return [];
  const [found] = await client.ask({ subject, types: ['session_list'], ...lastDays(), limit: 1 });
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
