import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { PAGE_TEXT, pageTexts } from '@ledgerline/contracts/read-models/page-events';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { wantsEveryRow, type QueryContext } from '../query-type';
import type { Whole } from '../share';
import { histogramsByDays } from './histograms';
import { distinctCounts, rowsOfDays, sumsByDays, topNWithTies, TOTAL_ROWS } from './rollups';

/** Columns of an answer, each with the column of the rollup that it comes from. */
type Columns = Readonly<Record<string, string>>;

/** How a column is found (null = missing) and shown; texts come as ids. */
const KINDS = {
  number: [(name: Sql) => sql`coalesce(${name}, 0) as ${name}`, (name: Sql) => sql`r.${name}::float8 as ${name}`],
  time: [(name: Sql) => name, (name: Sql) => sql`r.${name}`],
  text: [(name: Sql) => name, (name: Sql) => sql`(select text from dictionary where id = r.${name}) as ${name}`],
} as const;
type Kind = keyof typeof KINDS;

/** Columns of the days of a range as rows by `value` (a text id). */
interface Part {
  readonly columns: readonly (readonly [name: string, Kind])[];
  /** @param wanted a condition for the values */
  readonly rows: (context: QueryContext, wanted: Sql) => Sql;
}

export const columnsOfKind = (kind: Kind, names: readonly string[]) => names.map((name) => [name, kind] as const);

function renamed(rows: Sql, columns: Columns): Sql {
  const names = Object.entries(columns);
  if (names.every(([name, column]) => name === column)) return rows;
  return sql`
  select value, ${joinSql(names.map(([name, column]) => sql`${identifier(column)} as ${identifier(name)}`))}
  from (${rows}) named`;
}

/** Sums of columns, each with its name or under another one. */
export function sumsOf(model: ReadModel, ...given: readonly (string | Columns)[]): Part {
  const columns: Columns = Object.fromEntries(
    given.flatMap((each) => Object.entries(typeof each === 'string' ? { [each]: each } : each)),
  );
  const sums = { columns: Object.values(columns), by: ['value'] };
  return {
    columns: columnsOfKind('number', Object.keys(columns)),
    rows: (context, also) => renamed(sumsByDays(context, model, { ...sums, also }), columns),
  };
}

/** Distinct visitors or sessions. */
export const distinctOf = (model: ReadModel, name: string, column = 'distinct_count'): Part => ({
  columns: [[name, 'number']],
  rows: (context, also) => renamed(distinctCounts(context, model, { columns: [column], also }), { [name]: column }),
});

interface DayFigures {
  readonly figures: Readonly<Record<string, readonly [Kind, Sql]>>;
  /** TRICKY: the columns that are read are as few as possible. */
  readonly from: readonly string[];
  /** The column of the values. */
  readonly by?: string;
  readonly also?: Sql;
}

/** Figures of the rows of the days themselves: also the least and the greatest. */
export const figuresOf = (model: ReadModel, { figures, from, by = 'value', also = emptySql }: DayFigures): Part => ({
  columns: Object.entries(figures).map(([name, [kind]]) => [name, kind]),
  rows(context, wanted) {
    const [value, columns] = [identifier(by), joinSql(from.map((name) => identifier(name)))];
    const found = Object.entries(figures).map(([name, [, figure]]) => sql`${figure} as ${identifier(name)}`);
    return sql`
  select ${value} as value, ${joinSql(found)}
  from ${rowsOfDays(context, model, { columns, also: sql`${also}${wanted}` })} group by ${value}`;
  },
});

interface RangeOptions {
  /** A condition for the places. */
  readonly wanted?: Sql;
  /** Added to each row as `whole`. */
  readonly whole?: (context: QueryContext) => Sql;
}

/** Ranges with their sessions and visitors, in ascending order; `value` is the place of a range. */
export const rangesByDays =
  (sessions: Part, visitors: Part, { wanted = sql` and value > ${EVERY_VALUE}`, whole }: RangeOptions = {}) =>
  (context: QueryContext): Sql =>
    sql`
select value::float8 as place, sessions::float8 as sessions, coalesce(visitors, 0)::float8 as visitors${
      whole
        ? sql`,
  ${whole(context)} as whole`
        : emptySql
    }
from (${sessions.rows(context, wanted)}) by_sessions left join (${visitors.rows(context, wanted)}) by_visitors using (value)
where sessions > 0
order by value`;

type TextKind = keyof typeof PAGE_TEXT;

function textsOfPages(context: QueryContext, kind: TextKind, wanted: Sql): Sql {
  const also = sql` and kind = ${PAGE_TEXT[kind]}${wanted}`;
  return sumsByDays(context, pageTexts, { columns: ['times'], by: ['value', 'text'], also });
}

/** How many different texts of a kind there are on each page. */
export const differentTexts = (name: string, kind: TextKind): Part => ({
  columns: [[name, 'number']],
  rows: (context, wanted) => sql`
  select value, count(*) as ${identifier(name)} from (${textsOfPages(context, kind, wanted)}) texts
  where times > 0 group by value`,
});

/** The text of a kind that comes most often on each page; of equally frequent ones the first by code point. */
export const mostFrequentText = (name: string, kind: TextKind): Part => ({
  columns: [[name, 'text']],
  rows: (context, wanted) => sql`
  select distinct on (c.value) c.value, c.text as ${identifier(name)}
  from (${textsOfPages(context, kind, wanted)}) c join dictionary d on d.id = c.text
  where c.times > 0
  order by c.value, c.times desc, d.text collate "C"`,
});

/** A list from rollups, with a row for each value. */
export interface RollupList {
  /** What the values that may be on the page are chosen by: the first of its columns. */
  readonly top: Part;
  /** Whether the missing value is left out. */
  readonly withoutMissing?: boolean;
  /** Values with less of it are left out; 1 by default. */
  readonly least?: number;
  /**
   * Distinct counts of a rollup by which the list is ordered instead, none of which is greater than that number. They are
   * only added up for a few values: those with the greatest number say how great the first count must be at least.
   */
  readonly bounded?: { readonly model: ReadModel; readonly columns: Columns };
  /** What comes beside, of the values that may be on the page. */
  readonly parts?: readonly Part[];
  /** Added to each row as `whole`; the sum is that of the first column over all values. */
  readonly whole?: Whole;
  /** A histogram of each row on the page, read for these alone, and what else must hold of its rows. */
  readonly bins?: { readonly model: ReadModel; readonly column: string; readonly also?: Sql };
}

/** Of these values only. */
const among = (values: Sql): Sql => sql` and value = any(array(select value from ${values}))`;

/** The rows that may be on the page in the order of some counts, each with the text of its value. */
export function listByDays(declared: RollupList, by: readonly string[], context: QueryContext): Sql {
  const { top, bounded, parts = [], whole, bins } = declared;
  const beside = bounded ? [countedPart(bounded.columns), ...parts] : parts;
  const named = [top, ...beside].flatMap((part) =>
    part.columns.map(([name, kind]) => [identifier(name), KINDS[kind]] as const),
  );
  const joins = beside.map((part, nth) => {
    const rows = part.rows(context, among(sql`pages`));
    return sql`
  left join (${rows}) ${identifier(`part_${nth + 1}`)} using (value)`;
  });
  const columns = [
    ...named.map(([name, [, shown]]) => shown(name)),
    ...(whole ? [sql`r.whole::float8 as whole`] : []),
    sql`r.total_rows::float8 as total_rows`,
    ...(bins ? [sql`bins.*`] : []),
  ];
  const found = [...named.map(([name, [render]]) => render(name)), ...(whole ? [sql`whole`] : [])];
  const rows = sql`(
  select value, total_rows, ${joinSql(found)}
  from pages${joinSql(joins, '')}${topNWithTies(by, context)}
)`;
  return sql`
with ${bounded ? boundedPages(declared, bounded, context) : sql`pages as (${topPages(declared, context)}\n)`}
select coalesce(d.text, '') as text, ${joinSql(columns)}
from ${beside.length === 0 ? sql`pages` : rows} r
left join dictionary d on d.id = r.value and r.value <> ${NO_TEXT}${bins ? histogramOfRow(context, bins) : emptySql}`;
}

const countedPart = (columns: Columns): Part => ({
  columns: columnsOfKind('number', Object.keys(columns)),
  rows: () => renamed(sql`select * from counted`, columns),
});

function histogramOfRow(
  context: QueryContext,
  { model, column, also = emptySql }: NonNullable<RollupList['bins']>,
): Sql {
  return sql`
cross join lateral (${histogramsByDays(context, model, column, sql` and value = r.value${also}`)}) bins`;
}

const firstOf = ({ top: { columns } }: RollupList): string => columns[0]?.[0] ?? '';

/** All values with enough of what they are chosen by. */
function everyPage(declared: RollupList, context: QueryContext): Sql {
  const { top, withoutMissing, least = 1, whole } = declared;
  const first = identifier(firstOf(declared));
  const added = whole === 'sum' ? sql`sum(${first}) over ()` : whole?.days(context);
  return sql`
  select *, ${TOTAL_ROWS}${added ? sql`, ${added} as whole` : emptySql} from (${top.rows(context, sql` and value > ${withoutMissing ? NO_TEXT : EVERY_VALUE}`)}) each_value
  where ${first} >= ${least}`;
}

const topPages = (declared: RollupList, context: QueryContext): Sql =>
  sql`${everyPage(declared, context)}${topNWithTies([firstOf(declared)], context)}`;

function boundedPages(
  declared: RollupList,
  { model, columns }: NonNullable<RollupList['bounded']>,
  context: QueryContext,
): Sql {
  const counts = Object.values(columns);
  const [number, count] = [identifier(firstOf(declared)), identifier(counts[0] ?? '')];
  const countsOf = (values: Sql) => distinctCounts(context, model, { columns: counts, also: among(values) });
  if (wantsEveryRow(context)) {
    return sql`pages as (${everyPage(declared, context)}
), counted as (${countsOf(sql`pages`)}
)`;
  }
  const { page, limit } = context.page;
  return sql`known as (${everyPage(declared, context)}
), likely as (
  select value from known order by ${number} desc limit ${page * limit}
), likely_counted as (${countsOf(sql`likely`)}
), pages as (
  select * from known where ${number} >= (
    select coalesce(min(coalesce(${count}, 0)), 0) from likely left join likely_counted using (value)
  )
), others as (
  select value from pages except select value from likely
), counted as (
  select * from likely_counted union all (${countsOf(sql`others`)})
)`;
}
