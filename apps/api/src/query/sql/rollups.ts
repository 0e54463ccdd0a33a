import { NEVER, type ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import { blocksOf } from '@ledgerline/domain/sessions/day-blocks';
import { dayName, dayNumber } from '@ledgerline/domain/time/zones';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { wantsEveryRow, type QueryContext } from '../query-type';

/** Whether blocks of days can answer: without filters, of whole days in the website's own zone. */
export const hasDays = ({ filters, zone, ownZone, to, ...days }: QueryContext): boolean =>
  filters.length === 0 && zone === ownZone && to === instantsOf(days, zone).to;

/** Which blocks may be used for the days of a range: see `blocksOf` of the domain. */
interface Reach {
  /** Blocks may begin before the first day and be subtracted again: for additive columns. */
  readonly before: boolean;
  /** The same after the last day. */
  readonly after: boolean;
}

/** The days of the range as rows `b` of (span, day, sign). */
function blocks({ startDate, endDate, latestDay }: QueryContext, reach: Reach): Sql {
  const days = { since: dayNumber(startDate), until: dayNumber(endDate) };
  const cut = blocksOf(days, { ...reach, spans: SPANS, latestDay });
  const [spans, signs] = [cut.map(({ span }) => span), cut.map(({ sign }) => sign)];
  return sql`unnest(${spans}::smallint[], ${cut.map(({ day }) => dayName(day))}::date[], ${signs}::int[]) as b(span, day, sign)`;
}

/** Which rows of a model. */
interface SomeRows {
  /** TRICKY: as few as possible; decoding a row costs as much as finding it. */
  readonly columns: Sql;
  /** What else must hold of a row; a `group by` may follow. */
  readonly also: Sql;
}

/**
 * Rows `t` of a model that are in one of the blocks `b`. TRICKY: the offset keeps Postgres from joining in another way
 * than by looking up each block in the index.
 */
const inEach = (context: QueryContext, model: ReadModel, reach: Reach, { columns, also }: SomeRows): Sql => sql`
  ${blocks(context, reach)}
  cross join lateral (
    select ${columns} from ${context.table(model)}
    where website = ${context.website} and span = b.span and day = b.day${also} offset 0
  ) t`;

const WHOLE = sql` and previous_day = ${NEVER}::date`;

/** Columns of these names in a list, each as it is rendered. */
export const columnList = (names: readonly string[], render = (name: Sql): Sql => name): Sql =>
  joinSql(names.map((name) => render(identifier(name))));

export const asNumber = (name: Sql): Sql => sql`${name}::float8 as ${name}`;

interface Sums {
  readonly columns: readonly string[];
  readonly by: readonly string[];
  readonly also?: Sql;
}

/** Additive columns of the days of the range, by something. */
export function sumsByDays(context: QueryContext, model: ReadModel, { columns, by, also = emptySql }: Sums): Sql {
  const keys = columnList(by);
  const rows = wholeBlocks(context, model, { columns: sql`${keys}, ${columnList(columns, asNumber)}`, also });
  return sql`
  select ${keys}, ${columnList(columns, (name) => sql`sum(b.sign * ${name}) as ${name}`)} from ${rows}
  group by ${keys}`;
}

/** The sum of an additive column over the days of the range. */
export function sumOfDays(context: QueryContext, model: ReadModel, column: string, also: Sql = emptySql): Sql {
  const rows = wholeBlocks(context, model, { columns: sql`${identifier(column)}::float8 as added`, also });
  return sql`(select sum(b.sign * added) from ${rows})`;
}

/** Rows of the days of the range and of no others: for the least and the greatest. */
export const rowsOfDays = (context: QueryContext, model: ReadModel, wanted: SomeRows): Sql =>
  inEach(context, model, { before: false, after: false }, wanted);

/** Columns that count distinct visitors or sessions, and a condition for a few values. */
interface DistinctColumns {
  readonly columns: readonly string[];
  readonly also?: Sql;
}

/**
 * Distinct visitors or sessions of the days of the range as rows of a value and its counts, which add up: those of each
 * block, minus those already active before it in the range. `by` = what they are counted by. TRICKY: few values with many
 * rows are summed inside each block, in index order; otherwise Postgres would sort them.
 */
function signedDistinctRows(
  context: QueryContext,
  model: ReadModel,
  { columns, by = sql`value`, also }: DistinctColumns & { readonly by?: Sql },
): Sql {
  const each = columnList(columns, (name) => sql`${also ? sql`sum(${name})` : name}::float8 as ${name}`);
  const some = (sign: Sql, when: Sql) => {
    const wanted = { columns: sql`${by} as value, ${each}`, also: also ? sql`${when}${also} group by 1` : when };
    return sql`
    select value, ${columnList(columns, (name) => sql`${sign} * ${name} as ${name}`)}
    from ${inEach(context, model, { before: false, after: true }, wanted)}`;
  };
  return sql`${some(sql`b.sign`, WHOLE)}
    union all${some(sql`-b.sign`, sql` and previous_day >= ${context.startDate}::date`)}`;
}

/** The rows `t` of whole blocks that add up to the days of the range, with the `sign` of each block `b`. */
export function wholeBlocks(context: QueryContext, model: ReadModel, { columns, also }: SomeRows): Sql {
  const whole = 'previous_day' in model.columns ? WHOLE : emptySql;
  return inEach(context, model, { before: true, after: true }, { columns, also: sql`${whole}${also}` });
}

/** Distinct visitors or sessions, whichever the columns count, by value over the days of the range. */
export function distinctCounts(
  context: QueryContext,
  model: ReadModel,
  { columns = ['distinct_count'], also }: Partial<DistinctColumns> = {},
): Sql {
  return sql`
  select value, ${columnList(columns, (name) => sql`sum(${name}) as ${name}`)}
  from (${signedDistinctRows(context, model, { columns, ...(also ? { also } : {}) })}) each_block
  group by value`;
}

/** How many rows a list has in all; the column is cast to float8 as all counts are. */
export const TOTAL_ROWS: Sql = sql`count(*) over () as total_rows`;

/** The first rows by counts, all that are equal to the last of them included; all rows for another order. */
export function topNWithTies(counts: readonly string[], context: QueryContext): Sql {
  if (wantsEveryRow(context)) return emptySql;
  const { page, limit } = context.page;
  return sql` order by ${columnList(counts, (count) => sql`${count} desc`)} fetch first ${page * limit} rows with ties`;
}

/** Distinct visitors or sessions of a value over the days of the range, by default of all values together. */
export function distinctCount(
  context: QueryContext,
  model: ReadModel,
  { column = 'distinct_count', value = EVERY_VALUE } = {},
): Sql {
  const some = 'value' in model.columns ? { also: sql` and value = ${value}` } : { by: sql`0` };
  return sql`(
    select coalesce(sum(${identifier(column)}), 0)::float8
    from (${signedDistinctRows(context, model, { columns: [column], ...some })}) each_block
  )`;
}
