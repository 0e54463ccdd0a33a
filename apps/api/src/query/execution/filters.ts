import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { INTERVALS_PER_DAY } from '@ledgerline/contracts/read-models/blocks';
import {
  linkBrowsers,
  linkCities,
  linkCountries,
  linkDevices,
  linkReferrers,
  linkRegions,
} from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { METRICS } from '@ledgerline/contracts/read-models/website-vitals';
import { NO_TEXT, PART_SEPARATOR } from '@ledgerline/contracts/read-models/dictionary';
import { countryName } from '@ledgerline/domain/query/countries';
import { criterion, ignoresCase, passes, type Criterion, type Filter } from '@ledgerline/domain/query/filters';
import { closest } from '@ledgerline/domain/query/suggestion';
import { isPlaceField, partsOfText } from '@ledgerline/domain/sessions/composite-text';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { textHash } from '@ledgerline/platform/database/text';
import type { ValueFilter } from '@ledgerline/domain/counting/asked';
import {
  isIdFilter,
  LINK_FILTERS,
  METRIC_FILTER,
  WEBSITE_FILTERS,
  type LinkFilter,
  type QueryType,
} from '../query-type';
import type { QueryTarget } from '../request/query-target';
import type { Snapshot } from './snapshot';

/** @throws Problem if the type does not know a filter, or lacks one it needs */
export function checkFilters(type: QueryType, filters: readonly Filter[]): void {
  const errors = [
    ...filters.flatMap((filter, at) => wrongIn(type, filter).map((error) => ({ ...error, field: `filters[${at}]` }))),
    ...missingIn(type, filters),
  ];
  const message = errors.map((error) => error.message).join(' ');
  if (errors.length > 0) throw new Problem('VALIDATION_ERROR', message, errors);
}

function wrongIn(type: QueryType, { field, op }: Filter): Omit<FieldError, 'field'>[] {
  if (!type.allowedFilters.includes(field)) return [unknownField(type, field)];
  if (!isIdFilter(field) || op === 'eq' || op === 'in') return [];
  return [{ message: `The filter ${field} takes only the ops eq and in.` }];
}

function unknownField({ name, allowedFilters }: QueryType, field: string): Omit<FieldError, 'field'> {
  const suggestion =
    closest(field, allowedFilters) ?? allowedFilters.find((allowed) => allowed.startsWith(`${field}_`));
  const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  return {
    message: `${name} has no filter ${field}; it has ${allowedFilters.join(', ')}.${meant}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

const missingIn = ({ name, requiredFilters }: QueryType, filters: readonly Filter[]): FieldError[] =>
  requiredFilters
    .filter((required) => !filters.some(({ field }) => field === required))
    .map((field) => ({
      field: 'filters',
      message: `${name} needs a filter on ${field}, such as {"field":"${field}","op":"eq","value":"…"}.`,
    }));

/** A filter of a request, with its values as they were given. */
export interface RequestFilter extends ValueFilter {
  readonly given: readonly string[];
}

/** What each filter of a request matches, all looked up at once; filters that no type of the subject has are left out. */
export async function lookUpFilters(
  on: Queryable,
  {
    subject: { about, id },
    filters,
  }: { readonly subject: Pick<QueryTarget, 'about' | 'id'>; readonly filters: readonly Filter[] },
  { table, website }: Pick<Snapshot, 'table' | 'website'>,
): Promise<RequestFilter[]> {
  const isKnown = ({ field }: Filter) =>
    about === 'website'
      ? WEBSITE_FILTERS.includes(field) || field === METRIC_FILTER || isIdFilter(field)
      : about === 'link' && (LINK_FILTERS as readonly string[]).includes(field);
  const valuesOf = (wanted: Criterion) => {
    if (isIdFilter(wanted.field)) return wanted.values.filter(isId);
    if (wanted.field === METRIC_FILTER) return metricsOf(wanted);
    return about === 'website' ? idsOf(on, website, wanted) : textsOf(on, table, id, wanted);
  };
  return Promise.all(
    filters.filter(isKnown).map(async (filter) => {
      const wanted = criterion(filter);
      const { field, negated } = wanted;
      const given = typeof filter.value === 'string' ? [filter.value] : filter.value;
      return { field, negated, given, values: await valuesOf({ ...wanted, negated: false }) };
    }),
  );
}

/** Visitors and sessions have ids of 32 hex digits; nothing has another one. */
const isId = (value: string): boolean => /^[0-9a-f]{32}$/.test(value);

/** The places of the metrics that match. */
const metricsOf = (wanted: Criterion): number[] =>
  METRICS.flatMap((metric, place) => (passes(wanted, [metric]) ? [place] : []));

/** The dictionary ids that match. */
async function idsOf(on: Queryable, website: number, wanted: Criterion): Promise<number[]> {
  const rows = await run<{ id: number; text: string }>(on, candidateTexts(website, wanted));
  const found = rows.filter(({ text }) => wanted.field !== 'country' || passes(wanted, [text, countryName(text)]));
  return [...(passes(wanted, ['']) ? [NO_TEXT] : []), ...found.map(({ id }) => id)];
}

/** Texts that may match: exactly these, except that a country also goes by its name, which Postgres does not know. */
function candidateTexts(website: number, { field, test, values }: Criterion): Sql {
  const texts = sql`select id, text from dictionary where scope = ${website}`;
  if (field === 'country') return sql`${texts} and length(text) = 2`;
  if (test === 'equal' && !isPlaceField(field) && !ignoresCase(field)) {
    return sql`${texts} and hash = any(${values.map(textHash)}::uuid[])`;
  }
  const bare = isPlaceField(field) ? sql`split_part(text, ${PART_SEPARATOR}, 2)` : sql`text`;
  const fold = (text: Sql) => (ignoresCase(field) ? sql`lower(${text})` : text);
  const matches = values.map((value) => {
    const wanted = fold(sql`${value}::text`);
    if (test === 'equal') return sql`${fold(bare)} = ${wanted}`;
    return test === 'start' ? sql`starts_with(${fold(bare)}, ${wanted})` : sql`strpos(${fold(bare)}, ${wanted}) > 0`;
  });
  const isPlace = isPlaceField(field) ? sql` and strpos(text, ${PART_SEPARATOR}) > 0` : sql``;
  return sql`${texts}${isPlace} and (${joinSql(matches, ' or ')})`;
}

const LINK_ROLLUPS: Readonly<Record<LinkFilter, ReadModel>> = {
  referrer: linkReferrers,
  country: linkCountries,
  region: linkRegions,
  city: linkCities,
  device_type: linkDevices,
  browser_name: linkBrowsers,
};

/** The values of a link's clicks that match. */
async function textsOf(on: Queryable, table: Snapshot['table'], link: string, wanted: Criterion): Promise<string[]> {
  const { field } = wanted;
  const rollup = LINK_ROLLUPS[field as LinkFilter]; // only these are looked up of links
  const all = await run<{ value: string }>(
    on,
    sql`select distinct ${identifier('value')} from ${table(rollup)} where link_id = ${link} and span = ${INTERVALS_PER_DAY}`,
  );
  return all.map(({ value }) => value).filter((value) => passes(wanted, spellings(field, value)));
}

function spellings(field: string, value: string): string[] {
  if (field === 'country') return [value, countryName(value)];
  return [isPlaceField(field) ? partsOfText(value)[1] : value];
}
