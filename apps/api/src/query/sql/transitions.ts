import { latestTransitions, pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { integers, readIntegers } from '@ledgerline/platform/database/binary-columns';
import { eachEntry } from '@ledgerline/platform/database/histogram';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { gathered, placesWith, valuesAtRanks } from '@ledgerline/domain/counting/columns';
import { firstsOf, groupsOfAll } from '@ledgerline/domain/counting/groups';
import { sumsOf } from '@ledgerline/domain/counting/measures';
import { firstRows } from '../ranked';
import { columnOf, joined, rowsAt, sumOf, type Table } from '@ledgerline/domain/counting/tables';
import { numberIn, textIn, type SqlRow } from '../sql-row';
import { wantsEveryRow, type QueryContext } from '../query-type';
import { sumsByDays, wholeBlocks } from './rollups';

/** What steps are ordered by, each descending. */
export const STEP_COUNTS = ['transitions', 'sessions'];

/** The paths that steps of the days of the range begin at, those of most steps first, with how many; as two columns. */
export const firstPathsByDays = (context: QueryContext): Sql => sql`
select ${integers(sql`from_path`, MOST_FIRST)} as paths, ${integers(sql`taken::integer`, MOST_FIRST)} as taken
from (
  select from_path, sum(taken) as taken
  from (
    ${sumsByDays(context, pageTransitions, { columns: ['taken'], by: ['from_path'] })}
    union all
    select from_path, transitions from ${ofLatestDay(context)}
  ) each_part
  group by from_path having sum(taken) > 0
) steps`;

const MOST_FIRST = sql` order by taken desc`;

const ofLatestDay = ({ table, website, startDate, endDate }: QueryContext): Sql => sql`${table(latestTransitions)}
  where website = ${website} and day between ${startDate}::date and ${endDate}::date`;

/**
 * Steps with their text ids (`from`, `to`), `transitions` and `sessions`: all, or at least those that may be on the page.
 * A page is found without most of them: a step is not taken more often than all from its path together. `total_rows` is
 * then less than how many there are, but more than the page and those before it have.
 */
export async function firstSteps([found]: readonly SqlRow[], context: QueryContext, on: Queryable): Promise<Table> {
  const numbersOf = (name: string) => readIntegers(textIn(found ?? {}, name));
  const [paths, taken] = [numbersOf('paths'), numbersOf('taken')];
  const wanted = wantsEveryRow(context) ? Infinity : context.page.page * context.page.limit;
  const first = await stepsFrom(on, context, paths.subarray(0, wanted));
  if (paths.length <= wanted) return firstOf(first, 0, context);
  const [least = 0] = valuesAtRanks(columnOf(first, 'transitions').slice(), [first.size - wanted]);
  const others = paths.subarray(wanted).filter((_, nth) => (taken[wanted + nth] ?? 0) >= least);
  const unread = paths.length - wanted - others.length; // each has at least one step
  return firstOf(joined(['from', 'to'], [first, await stepsFrom(on, context, others)]), unread, context);
}

/** The rows that may be on the page. */
function firstOf(table: Table, unread: number, context: QueryContext): Table {
  const { size, columns } = firstRows(table, STEP_COUNTS, context);
  return { size, columns: { ...columns, total_rows: new Float64Array(size).fill(table.size + unread) } };
}

async function stepsFrom(on: Queryable, context: QueryContext, paths: Int32Array): Promise<Table> {
  return addedSteps(paths.length === 0 ? [] : await run<SqlRow>(on, histogramsFrom(context, [...paths])));
}

/** The histograms of the days of the range, laid end to end, by the path they begin at and by what they count. */
const histogramsFrom = (context: QueryContext, paths: readonly number[]): Sql => {
  const also = sql` and from_path = any(${paths}::int[])`;
  return sql`
select from_path, sign::float8 as sign, repeated::float8 as repeated,
  encode(string_agg(array_send(steps), ''::bytea), 'base64') as steps
from (
  select from_path, sign, repeated, steps
  from ${wholeBlocks(context, pageTransitions, { columns: sql`from_path, repeated, steps`, also })}
  union all (
    select from_path, 1 as sign, repeated, array_agg((to_path::bigint << 32) + count) as steps
    from (select * from ${ofLatestDay(context)}${also}) latest
    cross join lateral (values (0, sessions), (1, transitions - sessions)) as each (repeated, count)
    where count > 0
    group by from_path, repeated
  )
) histograms
group by from_path, sign, repeated order by from_path`;
};

/** Their sums, without steps that add up to nothing. */
async function addedSteps(found: readonly SqlRow[]): Promise<Table> {
  const most = sumOf(found.map((row) => textIn(row, 'steps').length));
  const column = () => new Float64Array(Math.floor((most * 3) / 4 / ENTRY_BYTES)); // as base64 has 4 characters for 3 bytes
  const [from, to, taken, counted] = [column(), column(), column(), column()];
  const pause = yieldToEventLoop();
  let size = 0;
  for (const row of found) {
    const [path, sign] = [numberIn(row, 'from_path'), numberIn(row, 'sign')];
    const perSession = sign * (1 - numberIn(row, 'repeated'));
    eachEntry(Buffer.from(textIn(row, 'steps'), 'base64'), (target, count) => {
      from[size] = path;
      to[size] = target;
      taken[size] = sign * count;
      counted[size++] = perSession * count;
    });
    await pause();
  }
  const groups = groupsOfAll([from.subarray(0, size), to.subarray(0, size)], size);
  const [firsts, transitions] = [firstsOf(groups), sumsOf(groups, taken)];
  const paths = { from: gathered(from, firsts), to: gathered(to, firsts) };
  const table = { size: groups.count, columns: { ...paths, transitions, sessions: sumsOf(groups, counted) } };
  return rowsAt(table, placesWith(Int32Array.from(transitions)));
}

const ENTRY_BYTES = 12;
