import type { ValueFilter } from '@ledgerline/aggregation/aggregation';
import {
  attributeNamed,
  eventFilterNamed,
  type AttributeKind,
  type LinkFilterName,
  isIdFilter,
} from '@ledgerline/contracts/attributes';
import type { Criterion } from '@ledgerline/contracts/criterion';
import type { FieldFilter, Filter } from '@ledgerline/contracts/definitions';
import { INTERVALS_PER_DAY } from '@ledgerline/contracts/read-models/time-blocks';
import { partsOfText } from '@ledgerline/contracts/sessions/session';
import {
  alternativesIn,
  criterion,
  isAnyOf,
  numbersNamed,
  passes,
  spellingsOf,
} from '@ledgerline/domain/query/filters';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { figuresOf } from '../declaration/fields';
import { queryTargetIds, type QueryTarget } from '../request/query-targets';
import type { QueryRequest } from '../request/read-requests';
import type { Snapshot } from '../snapshot/snapshot';
import { matchingTextIds } from '../sql/dictionary';
import { isAmong } from '../sql/time';
import { LINK_DIMENSIONS } from '../types/link/link-clicks.query-type';
import type { ParameterResult } from './response';

/** A filter of a request with what it matches, and the values as they were given. */
export interface GivenFilter extends ValueFilter {
  readonly given: readonly string[];
}

/** A filter of a request, or several of which one must hold. */
export type RequestFilter = GivenFilter | { readonly any: readonly GivenFilter[] };

export const givenIn = (filter: RequestFilter): readonly GivenFilter[] => ('any' in filter ? filter.any : [filter]);

/**
 * Returns what each filter of a request matches, all looked up at once; filters that no type of the target has are left
 * out.
 */
export async function lookUpFilters(
  on: Queryable,
  {
    target,
    filters,
  }: { readonly target: Pick<QueryTarget, 'about' | 'id' | 'tag'>; readonly filters: readonly Filter[] },
  { table, website }: Pick<Snapshot, 'table' | 'website'>,
): Promise<RequestFilter[]> {
  const { about } = target;
  const isKnown = ({ field }: FieldFilter) =>
    attributeNamed(field)?.filters.some((filtered) => filtered === about) ||
    (about === 'website' && (eventFilterNamed(field) !== undefined || isIdFilter(field)));
  const valuesOf = (wanted: Criterion) => {
    if (isIdFilter(wanted.field)) return wanted.values.filter(isId);
    if (eventFilterNamed(wanted.field)) return numbersNamed(wanted);
    return about === 'website'
      ? matchingTextIds(on, website, wanted)
      : textsOf(on, table, queryTargetIds(target), wanted);
  };
  const lookUp = async (filter: FieldFilter): Promise<GivenFilter> => {
    const wanted = criterion(filter);
    const { field, negated } = wanted;
    const given = typeof filter.value === 'string' ? [filter.value] : filter.value;
    return { field, negated, given, values: await valuesOf({ ...wanted, negated: false }) };
  };
  return Promise.all(
    filters
      .filter((filter) => alternativesIn(filter).every(isKnown))
      .map(async (filter) =>
        isAnyOf(filter) ? { any: await Promise.all(filter.any.map(lookUp)) } : await lookUp(filter),
      ),
  );
}

/** Visitors and sessions have ids of 32 hex digits; nothing has another one. */
const isId = (value: string): boolean => /^[0-9a-f]{32}$/.test(value);

export const isKind = ({ field }: Pick<Criterion, 'field'>, kind: AttributeKind): boolean =>
  attributeNamed(field)?.kind === kind;

/** The values of clicks on links that match. */
async function textsOf(
  on: Queryable,
  table: Snapshot['table'],
  links: readonly string[],
  wanted: Criterion,
): Promise<string[]> {
  const { field } = wanted;
  const { rollup } = LINK_DIMENSIONS[field as LinkFilterName]; // only these are looked up of links
  const all = await runSql<{ value: string }>(
    on,
    sql`select distinct ${identifier('value')} from ${table(rollup)} where ${isAmong(sql`link_id`, links)} and span = ${INTERVALS_PER_DAY}`,
  );
  const shown = (value: string) => (isKind(wanted, 'place') ? partsOfText(value)[1] : value);
  return all.map(({ value }) => value).filter((value) => passes(wanted, spellingsOf(field, shown(value))));
}

/** Returns whether at least one type was answered about the range, and those that were have no rows or only zeros. */
export function isEmpty({ parameters }: QueryRequest, results: readonly ParameterResult[]): boolean {
  const answered = results.flatMap(({ rows, total, failure }, at) => {
    const type = parameters[at]?.type;
    return !failure && type && (type.range === undefined || type.range === 'incomparable')
      ? [{ rows, total, type }]
      : [];
  });
  const hasNone = ({ rows, total, type }: (typeof answered)[number]) =>
    total === undefined ? rows.every((row) => figuresOf(type).every((name) => !row[name])) : total === 0;
  return answered.length > 0 && answered.every(hasNone);
}
