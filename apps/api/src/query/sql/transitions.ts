import { latestTransitions, pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { integers, readIntegers } from '@ledgerline/platform/database/binary-columns';
import { entriesAt } from '@ledgerline/platform/database/histogram';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { valuesAtRanks } from '../counting/columns';
import { firstRows } from '../counting/ranked';
import { appended, columnOf, type Table } from '../counting/tables';
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
  const [paths, taken] = ['paths', 'taken'].map((name) => readIntegers(textIn(found ?? {}, name))) as [
    Int32Array,
    Int32Array,
  ]; // one each
  const wanted = wantsEveryRow(context) ? Infinity : context.page.page * context.page.limit;
  const first = await stepsFrom(on, context, paths.subarray(0, wanted));
  if (paths.length <= wanted) return firstOf(first, 0, context);
  const [least = 0] = valuesAtRanks(columnOf(first, 'transitions').slice(), [first.size - wanted]);
  const others = paths.subarray(wanted).filter((_, nth) => (taken[wanted + nth] ?? 0) >= least);
  const unread = paths.length - wanted - others.length; // each has at least one step
  return firstOf(appended(first, await stepsFrom(on, context, others)), unread, context);
}

/** The rows that may be on the page. */
function firstOf(table: Table, unread: number, context: QueryContext): Table {
  const { size, columns } = firstRows(table, STEP_COUNTS, context);
  return { size, columns: { ...columns, total_rows: new Float64Array(size).fill(table.size + unread) } };
}

async function stepsFrom(on: Queryable, context: QueryContext, paths: Int32Array): Promise<Table> {
  return addedSteps(paths.length === 0 ? [] : await run<SqlRow>(on, histogramsFrom(context, [...paths])));
}

/**
 * The histograms of the days of the range by the path they begin at, laid end to end, each after its sign and whether it
 * counts repetitions.
 */
const histogramsFrom = (context: QueryContext, paths: readonly number[]): Sql => {
  const also = sql` and from_path = any(${paths}::int[])`;
  return sql`
select from_path,
  encode(string_agg(int2send(sign::smallint) || int2send(repeated::smallint) || array_send(steps), ''::bytea), 'base64')
    as steps
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
group by from_path`;
};

const [SIGN_BYTES, REPEATED_BYTES, ENTRY_BYTES] = [2, 2, 12];

/** Their sums, without steps that add up to nothing. */
async function addedSteps(found: readonly SqlRow[]): Promise<Table> {
  const base64 = found.reduce((sum, row) => sum + textIn(row, 'steps').length, 0);
  const most = Math.floor((base64 * 3) / 4 / ENTRY_BYTES);
  const [from, to] = [new Float64Array(most), new Float64Array(most)];
  const [transitions, sessions] = [new Float64Array(most), new Float64Array(most)];
  const [counts, pause] = [new CountsByPath(), yieldToEventLoop()];
  let size = 0;
  for (const row of found) {
    const path = numberIn(row, 'from_path');
    addUp(Buffer.from(textIn(row, 'steps'), 'base64'), counts);
    counts.each((target, taken, repetitions) => {
      if (taken === 0) return;
      from[size] = path;
      to[size] = target;
      transitions[size] = taken;
      sessions[size] = taken - repetitions;
      size++;
    });
    await pause();
  }
  const columns = Object.entries({ from, to, transitions, sessions });
  return { size, columns: Object.fromEntries(columns.map(([name, column]) => [name, column.subarray(0, size)])) };
}

function addUp(steps: Buffer, counts: CountsByPath): void {
  counts.clear(Math.floor(steps.length / ENTRY_BYTES));
  let at = 0;
  while (at < steps.length) {
    const sign = steps.readInt16BE(at);
    const isRepeated = steps.readInt16BE(at + SIGN_BYTES) === 1;
    at = entriesAt(steps, at + SIGN_BYTES + REPEATED_BYTES, (path, count) => {
      counts.add(path, sign * count, isRepeated ? sign * count : 0);
    });
  }
}

const NONE = -1;
const GOLDEN = 0x9e3779b1;

/** Two counts of each path (text id, from 0), in a hash table of typed arrays with open addressing. */
export class CountsByPath {
  private paths = new Int32Array();
  private first = new Float64Array();
  private second = new Float64Array();
  /** So many places are used, a power of two; and so far a hash of 32 bits is shifted to name one. */
  private places = 0;
  private shift = 0;

  /** Makes it empty, with room for so many paths. */
  clear(most: number): void {
    this.shift = Math.clz32(most + 1) - 1;
    const places = (this.places = 2 ** (32 - this.shift));
    if (this.paths.length < places) {
      this.paths = new Int32Array(places);
      this.first = new Float64Array(places);
      this.second = new Float64Array(places);
    }
    this.paths.fill(NONE, 0, places);
  }

  add(path: number, first: number, second: number): void {
    const { paths, places } = this;
    let place = Math.imul(path, GOLDEN) >>> this.shift;
    while (paths[place] !== path && paths[place] !== NONE) place = (place + 1) & (places - 1);
    if (paths[place] === NONE) {
      paths[place] = path;
      this.first[place] = 0;
      this.second[place] = 0;
    }
    this.first[place] = (this.first[place] ?? 0) + first;
    this.second[place] = (this.second[place] ?? 0) + second;
  }

  each(visit: (path: number, first: number, second: number) => void): void {
    const { paths, first, second, places } = this;
    for (let place = 0; place < places; place++) {
      const path = paths[place] ?? NONE;
      if (path !== NONE) visit(path, first[place] ?? 0, second[place] ?? 0);
    }
  }
}
