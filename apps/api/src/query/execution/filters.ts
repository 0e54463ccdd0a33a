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
import { NO_WORD, PART } from '@ledgerline/contracts/read-models/words';
import { countryName } from '@ledgerline/domain/query/countries';
import { criterion, ignoresCase, passes, type Criterion, type Filter } from '@ledgerline/domain/query/filters';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { wordHash } from '@ledgerline/platform/database/word-hash';
import type { LinkQuestion, TextFilter, WordFilter } from '../question';

/** The ids of a website's words that each filter matches; all are asked for at once. */
export const wordFilters = (on: Queryable, website: number, filters: readonly Filter[]): Promise<WordFilter[]> =>
  Promise.all(filters.map((filter) => wordFilter(on, website, filter)));

async function wordFilter(on: Queryable, website: number, filter: Filter): Promise<WordFilter> {
  const { field, negated } = criterion(filter);
  const wanted = { ...criterion(filter), negated: false };
  const rows = await run<{ id: number; word: string }>(on, wordsOf(website, wanted));
  const found = rows.filter(({ word }) => field !== 'country' || passes(wanted, [word, countryName(word)]));
  const nothing = passes(wanted, ['']) ? [NO_WORD] : [];
  return { field, ids: [...nothing, ...found.map(({ id }) => id)], negated };
}

/** Words that may match: exactly these, except that a country also goes by its name, which Postgres does not know. */
function wordsOf(website: number, { field, test, values }: Criterion): Sql {
  const words = sql`select id, word from words where scope = ${website}`;
  if (field === 'country') return sql`${words} and length(word) = 2`;
  const composite = field === 'region' || field === 'city';
  if (test === 'equal' && !composite && !ignoresCase(field)) {
    return sql`${words} and hash = any(${values.map(wordHash)}::uuid[])`;
  }
  const bare = composite ? sql`split_part(word, ${PART}, 2)` : sql`word`;
  const fold = (text: Sql) => (ignoresCase(field) ? sql`lower(${text})` : text);
  const matches = values.map((value) => {
    const wanted = fold(sql`${value}::text`);
    if (test === 'equal') return sql`${fold(bare)} = ${wanted}`;
    return test === 'start' ? sql`starts_with(${fold(bare)}, ${wanted})` : sql`strpos(${fold(bare)}, ${wanted}) > 0`;
  });
  const isPlace = composite ? sql` and strpos(word, ${PART}) > 0` : sql``;
  return sql`${words}${isPlace} and (${joinSql(matches, ' or ')})`;
}

const LINK_VALUES: Readonly<Record<string, ReadModel>> = {
  referrer: linkReferrers,
  country: linkCountries,
  region: linkRegions,
  city: linkCities,
  device_type: linkDevices,
  browser_name: linkBrowsers,
};

type OfLink = Pick<LinkQuestion, 'table' | 'link'>;

/** The values of a link's clicks that each filter matches; all are asked for at once. */
export const textFilters = (on: Queryable, of: OfLink, filters: readonly Filter[]): Promise<TextFilter[]> =>
  Promise.all(
    filters.flatMap((filter) => {
      const model = LINK_VALUES[filter.field];
      return model ? [textFilter(on, of, model, filter)] : []; // no link type allows others: each entry says so itself
    }),
  );

async function textFilter(
  on: Queryable,
  { table, link }: OfLink,
  model: ReadModel,
  filter: Filter,
): Promise<TextFilter> {
  const { field, negated } = criterion(filter);
  const wanted = { ...criterion(filter), negated: false };
  const all = await run<{ value: string }>(
    on,
    sql`select distinct ${identifier('value')} from ${table(model)} where link_id = ${link} and span = ${INTERVALS_PER_DAY}`,
  );
  const texts = all.map(({ value }) => value).filter((value) => passes(wanted, spellings(field, value)));
  return { field, texts, negated };
}

function spellings(field: string, value: string): string[] {
  if (field === 'country') return [value, countryName(value)];
  return [field === 'region' || field === 'city' ? (value.split(PART)[1] ?? '') : value];
}
