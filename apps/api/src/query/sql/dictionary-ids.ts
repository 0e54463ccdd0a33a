import { attributeNamed, type AttributeKind } from '@ledgerline/contracts/attributes';
import { NO_TEXT, PART_SEPARATOR } from '@ledgerline/contracts/read-models/kept-counts';
import { type Criterion, countryName, globExpression, ignoresCase, passes } from '@ledgerline/domain/query/filters';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { type Sql, joinSql, sql, textHash } from '@ledgerline/platform/database/sql';

/** The ids of a website's texts that match. */
export async function idsOf(on: Queryable, website: number, wanted: Criterion): Promise<number[]> {
  const rows = await runSql<{ id: number; text: string }>(on, candidateTexts(website, wanted));
  const found = rows.filter(({ text }) => !isOf(wanted, 'country') || passes(wanted, [text, countryName(text)]));
  return [...(passes(wanted, ['']) ? [NO_TEXT] : []), ...found.map(({ id }) => id)];
}

const isOf = ({ field }: Pick<Criterion, 'field'>, kind: AttributeKind): boolean =>
  attributeNamed(field)?.kind === kind;

/** Texts that may match: exactly these, except that a country also goes by its name, which Postgres does not know. */
function candidateTexts(website: number, wanted: Criterion): Sql {
  const { field, test, values } = wanted;
  const ofPlaces = isOf(wanted, 'place');
  const texts = sql`select id, text from dictionary where scope = ${website}`;
  if (isOf(wanted, 'country')) return sql`${texts} and length(text) = 2`;
  if (test === 'equal' && !ofPlaces && !ignoresCase(field)) {
    return sql`${texts} and hash = any(${values.map(textHash)}::uuid[])`;
  }
  const bare = ofPlaces ? sql`split_part(text, ${PART_SEPARATOR}, 2)` : sql`text`;
  const fold = (text: Sql) => (ignoresCase(field) ? sql`lower(${text})` : text);
  const matches = values.map((value) => {
    const sought = fold(sql`${value}::text`);
    if (test === 'equal') return sql`${fold(bare)} = ${sought}`;
    if (test === 'glob') return sql`${bare} ~ ${globExpression(value)}`;
    return test === 'start' ? sql`starts_with(${fold(bare)}, ${sought})` : sql`strpos(${fold(bare)}, ${sought}) > 0`;
  });
  const isPlace = ofPlaces ? sql` and strpos(text, ${PART_SEPARATOR}) > 0` : sql``;
  return sql`${texts}${isPlace} and (${joinSql(matches, ' or ')})`;
}
