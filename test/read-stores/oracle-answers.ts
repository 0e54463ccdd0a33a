import type { LinkClicked, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { Caller } from '@ledgerline/domain/access/caller';
import { addDays } from '@ledgerline/domain/time/zones';
import { minSamplesOf } from '../../apps/api/src/query/declaration/fields';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import { QueryRunner, RunQuery } from '../../apps/api/src/query/execution/query-runner';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import type { TestApi } from '../api/test-api';
import { firstDifference } from '../oracle/compare';
import { expectedAboutLink, expectedAboutWebsite } from '../oracle/expected-rows';
import { idFilters } from '../oracle/id-filters';
import type { NaiveFieldFilter, NaiveFilter, NaiveRequest } from '../oracle/naive-request';

/** A website or link, and everything that was recorded of it. */
export type Recorded = { readonly id: string; readonly zone: string; readonly start: string } & (
  | { readonly about: 'website'; readonly events: readonly WebsiteObservedEvent[] }
  | { readonly about: 'link'; readonly events: readonly LinkClicked[] }
);

type Row = Readonly<Record<string, unknown>>;

/** The greatest number of types in a request. */
const MOST_AT_ONCE = 20;
const ON_PATH: NaiveFieldFilter = { field: 'path', op: 'ne', value: '/nowhere' };

/**
 * Tells how the answers of an api differ from the oracle's: every query type, without filters and with one on pages.
 */
export async function differencesFromOracle(api: TestApi, caller: Caller, about: Recorded): Promise<string[]> {
  const types = CATALOGUE.filter(
    (type) => type.about === about.about && type.takes.options.length === 0 && !type.sources.own,
  ); // others need more than hits
  const found: string[] = [];
  for (const filters of [[], [ON_PATH]])
    for (const needed of ['', 'visitor_id', 'session_id']) {
      const alike = types.filter(
        ({ takes }) =>
          (takes.ids[0] ?? '') === needed && filters.every((filter) => takes.filters.includes(filter.field)),
      );
      for (let at = 0; at < alike.length; at += MOST_AT_ONCE)
        found.push(
          ...(await differencesOf(api, caller, about, { types: alike.slice(at, at + MOST_AT_ONCE), filters })),
        );
    }
  return found;
}

/** Returns the differences of types that take the same filters. */
async function differencesOf(
  api: TestApi,
  caller: Caller,
  about: Recorded,
  { types, filters }: { readonly types: readonly QueryType[]; readonly filters: readonly NaiveFilter[] },
): Promise<string[]> {
  const [first] = types;
  if (!first) return [];
  const naive = naiveRequest(first, about, filters);
  const { now, minSamples, ...request } = naive;
  const parameters = types.map((type) => (minSamplesOf(type) ? { name: type.name, minSamples } : type.name));
  const body = { parameters, ...request, limit: 10_000 };
  const query = new RunQuery({ caller, params: { [`${about.about}_id`]: about.id }, body, now });
  const [answer] = await api.app.get(QueryRunner).execute(query);
  return types.flatMap((type, place) => {
    const { rows: found = [], failure } = answer?.results[place] ?? {};
    const rows = expected(type, about, naive);
    const difference = failure ? failure.message : firstDifference(found, rows, true);
    return difference === undefined ? [] : [`${about.id}: ${type.name}, ${filters.length} filters: ${difference}`];
  });
}

function naiveRequest(type: QueryType, about: Recorded, filters: readonly NaiveFilter[]): NaiveRequest {
  const needed = about.about === 'website' ? idFilters(type, about.events) : [];
  const startDate = addDays(about.start, -1);
  const endDate = addDays(about.start, 40);
  const now = Date.parse(`${about.start}T00:00:00Z`) + 3_000 * 60_000;
  const options = { timezone: about.zone, granularity: 'daily', minSamples: 1 } as const;
  return { startDate, endDate, ...options, filters: [...filters, ...needed], now };
}

function expected({ name }: QueryType, about: Recorded, naive: NaiveRequest): readonly Row[] {
  const rows =
    about.about === 'website'
      ? expectedAboutWebsite(name, naive, about.events)
      : expectedAboutLink(name, naive, about.events);
  if (!rows) throw new Error(`The oracle does not know ${name}.`);
  return rows;
}
