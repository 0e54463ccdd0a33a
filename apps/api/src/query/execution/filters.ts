import {
  attributeNamed,
  eventFilterNamed,
  type AttributeKind,
  type LinkFilter,
  isIdFilter,
} from '@ledgerline/contracts/attributes';
import type { Criterion } from '@ledgerline/contracts/criterion';
import type { FieldFilter, Filter } from '@ledgerline/contracts/definitions';
import { INTERVALS_PER_DAY } from '@ledgerline/contracts/read-models/kept-counts';
import { alternativesOf, type SelectingFilter, type ValueFilter } from '@ledgerline/aggregation/aggregation';
import {
  alternativesIn,
  countryNames,
  criterion,
  isAnyOf,
  numbersNamed,
  passes,
  recordedForms,
  spellingsOf,
} from '@ledgerline/domain/query/filters';
import { nearestValue, type KnownValue } from '@ledgerline/domain/query/suggestion';
import type { Row } from '@ledgerline/domain/query/rows';
import { partsOfText } from '@ledgerline/contracts/sessions/session';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { cutText } from '../../http/fields';
import { figuresOf, textIn } from '../declaration/fields';
import type { QueryAbout } from '../declaration/query-type';
import type { QueryTarget } from '../request/query-targets';
import type { QueryRequest } from '../request/read-requests';
import { RequestCounts } from '../session-columns/request-counts';
import type { Snapshot } from '../snapshot/snapshot';
import type { QueryRun } from '../snapshot/snapshot-runner';
import { idsOf } from '../sql/dictionary-ids';
import { queryTypeNamed } from '../types/catalogue';
import { LINK_DIMENSIONS } from '../types/link/link-clicks.query-type';
import { findRows } from './answer';
import { contextOf } from './contexts';
import type { ParameterResult } from './response';

/** What a filter of a request matches, with the values as they were given. */
interface GivenFilter extends ValueFilter {
  readonly given: readonly string[];
}

/** A filter of a request, or several of which one must hold. */
export type RequestFilter = GivenFilter | { readonly any: readonly GivenFilter[] };

const givenIn = (filter: RequestFilter): readonly GivenFilter[] => ('any' in filter ? filter.any : [filter]);

/** What each filter of a request matches, all looked up at once; filters that no type of the subject has are left out. */
export async function lookUpFilters(
  on: Queryable,
  {
    subject: { about, id },
    filters,
  }: { readonly subject: Pick<QueryTarget, 'about' | 'id'>; readonly filters: readonly Filter[] },
  { table, website }: Pick<Snapshot, 'table' | 'website'>,
): Promise<RequestFilter[]> {
  const isKnown = ({ field }: FieldFilter) =>
    attributeNamed(field)?.filters.some((filtered) => filtered === about) ||
    (about === 'website' && (eventFilterNamed(field) !== undefined || isIdFilter(field)));
  const valuesOf = (wanted: Criterion) => {
    if (isIdFilter(wanted.field)) return wanted.values.filter(isId);
    if (eventFilterNamed(wanted.field)) return numbersNamed(wanted);
    return about === 'website' ? idsOf(on, website, wanted) : textsOf(on, table, id, wanted);
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

const isOf = ({ field }: Pick<Criterion, 'field'>, kind: AttributeKind): boolean =>
  attributeNamed(field)?.kind === kind;

/** The values of a link's clicks that match. */
async function textsOf(on: Queryable, table: Snapshot['table'], link: string, wanted: Criterion): Promise<string[]> {
  const { field } = wanted;
  const { rollup } = LINK_DIMENSIONS[field as LinkFilter]; // only these are looked up of links
  const all = await runSql<{ value: string }>(
    on,
    sql`select distinct ${identifier('value')} from ${table(rollup)} where link_id = ${link} and span = ${INTERVALS_PER_DAY}`,
  );
  const shown = (value: string) => (isOf(wanted, 'place') ? partsOfText(value)[1] : value);
  return all.map(({ value }) => value).filter((value) => passes(wanted, spellingsOf(field, shown(value))));
}

/**
 * For an empty answer: each filter that nothing in the range passes, with the nearest values that there are, or that
 * they pass nothing together. Nothing is said of what the fixed filters of a share leave out.
 */
export async function filterNotes(
  request: QueryRequest,
  filters: readonly RequestFilter[],
  run: QueryRun,
): Promise<readonly string[]> {
  const fixed = filters.slice(0, request.subject.filters?.length ?? 0);
  const isChecked = ({ field, negated }: GivenFilter) => !negated && !isIdFilter(field);
  const checked = filters.slice(fixed.length).filter((filter) => givenIn(filter).every(isChecked));
  if (checked.length === 0 || (await isInRange(request, [...fixed, ...checked], run))) return [];
  const notes: string[] = [];
  for (const filter of checked) {
    if (checked.length > 1 && (await isInRange(request, [...fixed, filter], run))) continue;
    for (const { field, given } of givenIn(filter)) {
      const known = await knownValues(request, field, fixed, run);
      notes.push(noteOn(field, given, new Set(given.flatMap((each) => nearestOf(field, each, known) ?? []))));
    }
  }
  return notes.length > 0 ? notes : ['The filters match nothing together in the range.'];
}

function nearestOf(field: string, given: string, known: readonly KnownValue[]): string | undefined {
  const forms = [given, ...recordedForms(field, 'equal', given)];
  const nearest = forms.map((form) => nearestValue(form, known)).find((value) => value !== undefined);
  return nearest === given ? undefined : nearest;
}

const MAX_VALUE = 80;

function noteOn(field: string, values: readonly string[], nearest: ReadonlySet<string>): string {
  const listed = (texts: Iterable<string>) =>
    [...texts].map((text) => JSON.stringify(cutText(text, MAX_VALUE))).join(', ');
  const meant = nearest.size > 0 ? ` The nearest known value: ${listed(nearest)}.` : '';
  return `The filter on ${field} matches nothing in the range: ${listed(values)}.${meant}`;
}

/** Whether at least one type was answered about the range, and those that were have no rows or only zeros. */
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

/** The list whose rows show the values of a field. */
function listOf(about: QueryAbout, field: string): string | undefined {
  const { list, linkList, shownIn } = attributeNamed(field) ?? {};
  return about === 'link' ? linkList : (list?.type ?? shownIn);
}

/** Lists of which no value is left out, not even the missing one. */
const WHOLE_LISTS = { website: 'device_types', link: 'link_top_devices', monitor: undefined } as const;

/** Whether any page view, click or, by its own field, event of one kind of the range passes these filters. */
async function isInRange(request: QueryRequest, filters: readonly SelectingFilter[], run: QueryRun): Promise<boolean> {
  if (filters.some((filter) => alternativesOf(filter).every(({ values }) => values.length === 0))) return false;
  const { about } = request.subject;
  const [ofEvent] = filters.flatMap(alternativesOf).flatMap(({ field }) => eventFilterNamed(field) ?? []);
  const name = ofEvent?.list ?? WHOLE_LISTS[about];
  return name !== undefined && (await rowsOf(name, request, filters, run)).length > 0;
}

const MOST_VALUES = 1_000;

/** The most frequent values of a field in the range, as far as the caller may read them; or all that it may have. */
async function knownValues(
  request: QueryRequest,
  field: string,
  fixed: readonly RequestFilter[],
  run: QueryRun,
): Promise<readonly KnownValue[]> {
  const { about, publicOnly } = request.subject;
  const ofEvent = eventFilterNamed(field);
  if (ofEvent) return Object.keys(ofEvent.values).map((value) => ({ value, spellings: [value] }));
  const name = listOf(about, field);
  if (name === undefined || (publicOnly && !queryTypeNamed(name)?.publicAccess)) return [];
  const rows = await rowsOf(name, request, fixed, run);
  return rows.slice(0, MOST_VALUES).map((row) => knownValue(field, row));
}

async function rowsOf(
  name: string,
  request: QueryRequest,
  filters: readonly SelectingFilter[],
  run: QueryRun,
): Promise<readonly Row[]> {
  const type = queryTypeNamed(name);
  if (!type) throw new Error(`There is no query type ${name}.`);
  const parameter = {
    type,
    ...rangeOf(request),
    granularity: 'daily' as const,
    limit: MOST_VALUES,
    isLimited: true,
    options: {},
  };
  const context = contextOf(parameter, { ...request, page: 1, sort: null }, filters, run.snapshot);
  const execution = { ...run, counts: new RequestCounts(run, []) };
  return (await run.deadline.within(run.client, () => findRows(type, context, execution))).rows;
}

/** From the first to the last day that one of the types is about. */
const rangeOf = ({ parameters }: QueryRequest) => ({
  startDate: parameters.map(({ startDate }) => startDate).reduce((a, b) => (a < b ? a : b)),
  endDate: parameters.map(({ endDate }) => endDate).reduce((a, b) => (a > b ? a : b)),
});

/** Other words for the kinds of devices. */
const DEVICES: Readonly<Record<string, readonly string[]>> = {
  mobile: ['phone', 'smartphone', 'cell phone', 'handy'],
  desktop: ['computer', 'PC', 'laptop', 'notebook'],
  tablet: ['pad', 'iPad'],
};

/** What a filter should have for the value of a row, and what else it may be called. */
function knownValue(field: string, row: Row): KnownValue {
  const name = textIn(row, 'name');
  if (isOf({ field }, 'country')) {
    const value = textIn(row, 'country_code') || name;
    return { value, spellings: [value, ...countryNames(value)] };
  }
  if (isOf({ field }, 'source')) return { value: name, spellings: [name, textIn(row, 'referrer')] };
  return { value: name, spellings: [name, ...((field === 'device_type' && DEVICES[name]) || [])] };
}
