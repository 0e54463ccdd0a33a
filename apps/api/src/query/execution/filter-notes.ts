import { alternativesOf, type SelectingFilter } from '@ledgerline/aggregation/aggregation';
import { attributeNamed, eventFilterNamed, isIdFilter } from '@ledgerline/contracts/attributes';
import { countryNames, recordedForms } from '@ledgerline/domain/query/filters';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { nearestValue, type KnownValue } from '@ledgerline/domain/query/suggestion';
import { cutText } from '../../http/fields';
import { textIn } from '../declaration/fields';
import type { QueryAbout } from '../declaration/query-type';
import type { QueryRequest } from '../request/read-requests';
import type { QueryMeans } from '../snapshot/snapshot';
import { queryTypeNamed } from '../types/catalogue';
import { findRows, contextOf } from './answer';
import { planQuery } from './executors';
import { givenIn, type GivenFilter, isKind, type RequestFilter } from './filters';
import { RequestAggregates } from './request-aggregates';

/**
 * For an empty answer: each filter that nothing in the range passes, with the nearest values that there are, or that
 * they pass nothing together. Nothing is said of what the fixed filters of a share leave out.
 */
export async function filterNotes(
  request: QueryRequest,
  filters: readonly RequestFilter[],
  run: QueryMeans,
): Promise<readonly string[]> {
  const fixed = filters.slice(0, request.target.filters?.length ?? 0);
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

/** The list whose rows show the values of a field. */
function listOf(about: QueryAbout, field: string): string | undefined {
  const { list, linkList, shownIn } = attributeNamed(field) ?? {};
  return about === 'link' ? linkList : (list?.type ?? shownIn);
}

/** Lists of which no value is left out, not even the missing one. */
const WHOLE_LISTS = { website: 'device_types', link: 'link_top_devices', monitor: undefined } as const;

/** Returns whether any page view, click or, by its own field, event of one kind of the range passes these filters. */
async function isInRange(
  request: QueryRequest,
  filters: readonly SelectingFilter[],
  run: QueryMeans,
): Promise<boolean> {
  if (filters.some((filter) => alternativesOf(filter).every(({ values }) => values.length === 0))) return false;
  const { about } = request.target;
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
  run: QueryMeans,
): Promise<readonly KnownValue[]> {
  const { about, publicOnly } = request.target;
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
  run: QueryMeans,
): Promise<readonly AnswerRow[]> {
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
  const query = planQuery(type, context);
  const execution = { ...run, aggregates: new RequestAggregates(run, query.task ? [query.task] : []) };
  return (await run.deadline.within(run.client, () => findRows(query, execution))).rows;
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

/** Returns what a filter should have for the value of a row, and what else it may be called. */
function knownValue(field: string, row: AnswerRow): KnownValue {
  const name = textIn(row, 'name');
  if (isKind({ field }, 'country')) {
    const value = textIn(row, 'country_code') || name;
    return { value, spellings: [value, ...countryNames(value)] };
  }
  if (isKind({ field }, 'source')) return { value: name, spellings: [name, textIn(row, 'referrer')] };
  return { value: name, spellings: [name, ...((field === 'device_type' && DEVICES[name]) || [])] };
}
