import { NAMING_TRAITS, profileTraits, visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import type { RowOrder, AnswerRow } from '@ledgerline/domain/query/rows';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { unsealName, unsealProfileId } from '@ledgerline/platform/profiles/sealed-profile';
import { requiredCell, nullableField, textField, textIn, type ResultFields, type SqlRow } from '../declaration/fields';
import { type QueryContext, wantsEveryRow } from '../declaration/query-context';

/** Columns of these names in a list, each as it is rendered. */
export const columnList = (names: readonly string[], render = (name: Sql): Sql => name): Sql =>
  joinSql(names.map((name) => render(identifier(name))));

export const asNumber = (name: Sql): Sql => sql`${name}::float8 as ${name}`;

/** The number of rows a list has in all; the column is cast to float8 as all counts are. */
export const TOTAL_ROWS: Sql = sql`count(*) over () as total_rows`;

/** The first rows by counts, all that are equal to the last of them included; all rows for another order. */
export function topNWithTies(counts: readonly string[], context: QueryContext): Sql {
  if (wantsEveryRow(context)) return emptySql;
  const { page, limit } = context.page;
  return sql` order by ${columnList(counts, (count) => sql`${count} desc`)} fetch first ${page * limit} rows with ties`;
}

/** The first rows in an order that leaves none equal; all rows for another order. */
export function firstRowsBy(orders: readonly Sql[], context: QueryContext): Sql {
  if (wantsEveryRow(context)) return emptySql;
  const { page, limit } = context.page;
  return sql` order by ${joinSql(orders, ', ')} limit ${page * limit}`;
}

/** The text of an id as a column. */
export const textColumnSql = (id: Sql, name: string): Sql =>
  sql`(select text from dictionary where id = ${id}) as ${identifier(name)}`;

/** The texts of some columns of a row. */
export const textsOf = (row: string, names: readonly string[]): Sql =>
  joinSql(
    names.map((name) => textColumnSql(identifier(row, name), name)),
    ',\n  ',
  );

/** The direction that a request asks for, or else that of the list. */
export const directionOf = ({ sort }: QueryContext, ofList: RowOrder['direction'] = 'desc'): Sql =>
  (sort?.direction ?? ofList) === 'asc' ? sql`asc` : sql`desc`;

/** Rows by time, then by id. */
export function orderOfTime(context: QueryContext, row: string, ofList?: RowOrder['direction']): Sql {
  const direction = directionOf(context, ofList);
  return sql`order by ${identifier(row, 'at')} ${direction}, ${identifier(row, 'id')} ${direction}`;
}

/** Cuts the page out. */
export const limitOffsetSql = ({ page: { page, limit } }: QueryContext): Sql =>
  sql`limit ${limit} offset ${(page - 1) * limit}`;

/** The rows that were found by their times, which a column holds, and by what they are sorted by. */
export function atTimes(column: Sql, { found }: QueryContext, sorted?: Sql): Sql {
  if (!found) return emptySql;
  const times = sql`${binaryArray('timestamptz', found.times)}::timestamptz[]`;
  if (!found.values || !sorted) return sql` and ${column} = any(${times})`;
  return sql` and (${column}, ${sorted}) in (select * from unnest(${times}, ${found.values}::bigint[]))`;
}

interface SingleRows {
  /** The name of a row. */
  readonly row: string;
  /** Its columns before the page is cut out; those it has by default. */
  readonly found?: Sql;
  readonly from: Sql;
  /** By time unless it says otherwise. */
  readonly order?: Sql;
  /** The columns that are looked up for the rows of the page alone; joins may follow the page. */
  readonly columns: Sql;
  readonly joins?: Sql;
}

/** A page of single things in order. */
export function singlesPageSql(
  context: QueryContext,
  { row, from, columns, joins = emptySql, ...wanted }: SingleRows,
): Sql {
  const { found = sql`${identifier(row)}.*`, order = orderOfTime(context, row) } = wanted;
  return sql`
with page as (
  select ${found} from ${from}
  ${order} ${limitOffsetSql(context)}
)
select ${columns}
from page ${identifier(row)}${joins}
${order}`;
}

/** Selects how many of such rows there are. */
export const countRowsSql = (facts: Sql): Sql => sql`select count(*)::float8 as total_rows from ${facts}`;

/** The fields of who the visitor of a row was said to be. */
export const IDENTITY_FIELDS = {
  profile_id: { ...nullableField(textField), from: 'profiles' },
  display_name: { ...nullableField(textField), from: 'profiles' },
} as const satisfies ResultFields;

export const IDENTITY_COLUMNS = sql`identity.subject, identity.profile_id, identity.traits`;

/** Joins who a visitor was said to be, still sealed, as {@link IDENTITY_COLUMNS}. */
export const identityOfVisitor = (context: QueryContext, visitor: Sql): Sql => sql`left join lateral (
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from ${context.table(profileTraits)} t
    where t.website = ${context.website} and t.subject = said.subject and t.trait = any(${NAMING_TRAITS}::text[])
      and t.value is not null
  ) as traits
  from ${context.table(visitorProfiles)} said
  where said.website = ${context.website} and said.visitor = ${visitor}
) identity on true`;

/** Adds the keys of the profiles, as `key`; null where a profile was forgotten. */
export async function withProfileKeys(found: readonly SqlRow[], main: Queryable): Promise<readonly SqlRow[]> {
  const subjects = found.map((row) => requiredCell(row, 'subject')).filter((subject) => subject !== null);
  if (subjects.length === 0) return found.map((row) => ({ ...row, key: null }));
  const wanted = sql`select subject, key from profile_keys where subject = any(${subjects}::uuid[])`;
  const rows = await run<{ subject: string; key: Buffer }>(main, wanted);
  const keys = new Map(rows.map(({ subject, key }) => [subject, key]));
  return found.map((row) => ({ ...row, key: keys.get(textIn(row, 'subject')) ?? null }));
}

/** Returns who a row's visitor was said to be: {@link IDENTITY_FIELDS}. */
export function identityOf(found: SqlRow): AnswerRow {
  const key = requiredCell(found, 'key');
  if (!Buffer.isBuffer(key)) return { profile_id: null, display_name: null };
  const sealing = { subject: textIn(found, 'subject'), key };
  const traits = (requiredCell(found, 'traits') ?? {}) as Readonly<Record<string, string>>;
  return {
    profile_id: unsealProfileId(sealing, textIn(found, 'profile_id')),
    display_name: unsealName(sealing, traits),
  };
}
