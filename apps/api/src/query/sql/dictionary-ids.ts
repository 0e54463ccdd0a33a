import { NO_TEXT, PART_SEPARATOR } from '@ledgerline/contracts/read-models/dictionary';
import type { ValueFilter } from '@ledgerline/aggregation/aggregation';
import type { Criterion } from '@ledgerline/contracts/criterion';
import { foldsCase, isHost, kindOf, passes, spellingsOf } from '@ledgerline/domain/query/filters';
import { globExpression } from '@ledgerline/contracts/glob';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { type Sql, joinSql, sql, textHash } from '@ledgerline/platform/database/sql';

/** The ids of a website's texts that match. */
export async function idsOf(on: Queryable, website: number, wanted: Criterion): Promise<number[]> {
  const rows = await runSql<{ id: number; text: string }>(on, candidateTexts(website, wanted));
  const { field } = wanted;
  const isDecidedHere = kindOf(field) === 'country' || isHost(field);
  const found = rows.filter(({ text }) => !isDecidedHere || passes(wanted, spellingsOf(field, text)));
  return [...(passes(wanted, ['']) ? [NO_TEXT] : []), ...found.map(({ id }) => id)];
}

/** Texts that may match: exactly these, except that countries and hosts go by spellings that Postgres does not know. */
function candidateTexts(website: number, wanted: Criterion): Sql {
  const { field, test, values } = wanted;
  const ofPlaces = kindOf(field) === 'place';
  const texts = sql`select id, text from dictionary where scope = ${website}`;
  if (kindOf(field) === 'country') return sql`${texts} and length(text) = 2`;
  if (test === 'equal' && !ofPlaces && !foldsCase(wanted)) {
    return sql`${texts} and hash = any(${values.map(textHash)}::uuid[])`;
  }
  const bare = ofPlaces ? sql`split_part(text, ${PART_SEPARATOR}, 2)` : sql`text`;
  const fold = (text: Sql) => (foldsCase(wanted) ? sql`lower(${text})` : text);
  const matches = values.map((value) => {
    const sought = fold(sql`${value}::text`);
    if (isHost(field) && /[^\0-\x7f]/.test(value)) return sql`strpos(text, 'xn--') > 0`;
    if (test === 'equal') return sql`${fold(bare)} = ${sought}`;
    if (test === 'glob') return sql`${fold(bare)} ~ ${globExpression(foldsCase(wanted) ? value.toLowerCase() : value)}`;
    return test === 'start' ? sql`starts_with(${fold(bare)}, ${sought})` : sql`strpos(${fold(bare)}, ${sought}) > 0`;
  });
  const isPlace = ofPlaces ? sql` and strpos(text, ${PART_SEPARATOR}) > 0` : sql``;
  return sql`${texts}${isPlace} and (${joinSql(matches, ' or ')})`;
}

/** Whether a column holds one of the ids that a filter matches. */
export const matches = (column: Sql, { values, negated }: ValueFilter): Sql =>
  negated ? sql`${column} <> all(${values}::int[])` : sql`${column} = any(${values}::int[])`;
