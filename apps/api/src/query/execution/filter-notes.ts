import { countryNames } from '@ledgerline/domain/query/countries';
import { nearestValue, type KnownValue } from '@ledgerline/domain/query/nearest-value';
import type { Row } from '@ledgerline/domain/query/rows';
import { cutText } from '../../http/display-name';
import { textIn } from '../sql-row';
import type { ValueFilter } from '@ledgerline/domain/counting/asked';
import { isIdFilter, METRIC_FILTER, type QueryAbout } from '../query-type';
import type { QueryRequest } from '../request/read-requests';
import { RequestCounts } from '../session-columns/request-counts';
import { queryTypeNamed } from '../types/catalogue';
import { contextOf } from './answer';
import { figuresOf } from './comparison';
import type { RequestFilter } from './filters';
import { findRows } from './find-rows';
import { TOTAL, type ParameterResult } from './response';
import type { SnapshotReader } from './snapshot';

/**
 * For an empty answer: each filter that nothing in the range passes, with the nearest values that there are, or that
 * they pass nothing together.
 */
export async function filterNotes(
  request: QueryRequest,
  filters: readonly RequestFilter[],
  reader: SnapshotReader,
): Promise<readonly string[]> {
  const checked = filters.filter(({ field, negated }) => !negated && !isIdFilter(field));
  if (checked.length === 0 || (await isInRange(request, checked, reader))) return [];
  const notes: string[] = [];
  for (const filter of checked) {
    if (checked.length > 1 && (await isInRange(request, [filter], reader))) continue;
    const { field, given } = filter;
    const known = await knownValues(request, field, reader);
    notes.push(noteOn(field, given, new Set(given.flatMap((each) => nearestValue(each, known) ?? []))));
  }
  return notes.length > 0 ? notes : ['The filters match nothing together in the range.'];
}

const MAX_VALUE = 80;

function noteOn(field: string, values: readonly string[], nearest: ReadonlySet<string>): string {
  const listed = (texts: Iterable<string>) =>
    [...texts].map((text) => JSON.stringify(cutText(text, MAX_VALUE))).join(', ');
  const meant = nearest.size > 0 ? ` The nearest known value: ${listed(nearest)}.` : '';
  return `The filter on ${field} matches nothing in the range: ${listed(values)}.${meant}`;
}

/** Whether at least one type was answered about the range, and those that were have no rows or only zeros. */
export function isEmpty({ parameters }: QueryRequest, entries: readonly ParameterResult[]): boolean {
  const answered = entries.flatMap((entry, at) => {
    const type = parameters[at]?.type;
    return entry.success && type && !type.isAboutNow ? [{ entry, type }] : [];
  });
  const hasNone = ({ entry, type }: (typeof answered)[number]) =>
    entry[TOTAL] === undefined
      ? entry.data.every((row) => figuresOf(type).every((name) => !row[name]))
      : entry[TOTAL] === 0;
  return answered.length > 0 && answered.every(hasNone);
}

/** The lists whose rows show the values of a field. */
const LISTS: Readonly<Record<QueryAbout, Readonly<Record<string, string>>>> = {
  website: {
    path: 'top_pages',
    country: 'country',
    region: 'region',
    city: 'city',
    timezone: 'timezone',
    language: 'language',
    device_type: 'device_types',
    browser_name: 'browser_name',
    os_name: 'os_name',
    referrer: 'traffic_sources',
    utm_source: 'utm_sources',
    utm_medium: 'utm_mediums',
    utm_campaign: 'utm_campaigns',
    utm_term: 'utm_terms',
    utm_content: 'utm_content',
    [METRIC_FILTER]: 'vitals_overview',
  },
  link: {
    referrer: 'link_top_referrers',
    country: 'link_top_countries',
    region: 'link_top_regions',
    city: 'link_top_cities',
    device_type: 'link_top_devices',
    browser_name: 'link_top_browsers',
  },
  monitor: {},
};

/** Lists of which no value is left out, not even the missing one. */
const WHOLE_LISTS = { website: 'device_types', link: 'link_top_devices', monitor: undefined } as const;

/** Whether any page view, click or, by its metric, vital of the range passes these filters. */
async function isInRange(
  request: QueryRequest,
  filters: readonly ValueFilter[],
  reader: SnapshotReader,
): Promise<boolean> {
  if (filters.some(({ values }) => values.length === 0)) return false;
  const { about } = request.subject;
  const name = filters.some(({ field }) => field === METRIC_FILTER) ? LISTS[about][METRIC_FILTER] : WHOLE_LISTS[about];
  return name !== undefined && (await rowsOf(name, request, filters, reader)).length > 0;
}

const MOST_VALUES = 1_000;

/** The most frequent values of a field in the range, as far as the caller may read them. */
async function knownValues(
  request: QueryRequest,
  field: string,
  reader: SnapshotReader,
): Promise<readonly KnownValue[]> {
  const { about, publicOnly } = request.subject;
  const name = LISTS[about][field];
  if (name === undefined || (publicOnly && !queryTypeNamed(name)?.publicAccess)) return [];
  const rows = await rowsOf(name, request, [], reader);
  return rows.slice(0, MOST_VALUES).map((row) => knownValue(field, row));
}

async function rowsOf(
  name: string,
  request: QueryRequest,
  filters: readonly ValueFilter[],
  reader: SnapshotReader,
): Promise<readonly Row[]> {
  const type = queryTypeNamed(name);
  if (!type) throw new Error(`There is no query type ${name}.`);
  const parameter = { type, ...rangeOf(request), granularity: 'daily' as const, limit: MOST_VALUES, isLimited: true };
  const { client, snapshot, deadline } = reader;
  const context = contextOf(parameter, { ...request, page: 1, sort: null }, filters, snapshot);
  const origin = { ...reader, counts: new RequestCounts(reader, []) };
  return (await deadline.within(client, () => findRows(client, type, context, origin))).rows;
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
  const name = textIn(row, field === METRIC_FILTER ? field : 'name');
  switch (field) {
    case 'country': {
      const value = textIn(row, 'country_code') || name;
      return { value, spellings: [value, ...countryNames(value)] };
    }
    case 'device_type':
      return { value: name, spellings: [name, ...(DEVICES[name] ?? [])] };
    case 'referrer':
      return { value: name, spellings: [name, textIn(row, 'referrer')] };
    default:
      return { value: name, spellings: [name] };
  }
}
