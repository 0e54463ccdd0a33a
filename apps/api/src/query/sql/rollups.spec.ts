import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import { dayName, dayNumber } from '@ledgerline/domain/time/zones';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { distinctCounts, rowsOfDays, sumsByDays } from './rollups';

describe('blocks of days', () => {
  it.each(ranges())('add up the page views from %s to %s', async (startDate, endDate) => {
    const some = { columns: ['pageviews'], by: ['value'], also: sql` and value > ${EVERY_VALUE}` };
    const rows = await on.run(sumsByDays(contextOf(startDate, endDate), topPages, some));
    expect(sorted(rows, 'pageviews')).toEqual(sorted(naive(startDate, endDate, (visits) => visits.length)));
  });

  it.each(ranges())('count the distinct visitors from %s to %s', async (startDate, endDate) => {
    const rows = await on.run(distinctCounts(contextOf(startDate, endDate), topPages, { columns: ['visitors'] }));
    expect(sorted(rows, 'visitors')).toEqual(
      sorted(naive(startDate, endDate, (visits) => new Set(visits.map(({ visitor }) => visitor)).size)),
    );
  });

  it('count the same of a few values alone', async () => {
    const context = contextOf('2026-02-01', '2026-04-30');
    const all = await on.run(distinctCounts(context, topPages, { columns: ['visitors'] }));
    const one = await on.run(distinctCounts(context, topPages, { columns: ['visitors'], also: sql` and value = 2` }));
    expect(one).toEqual(all.filter(({ value }) => value === 2));
  });

  it('are inside the range where the least or the greatest is wanted', async () => {
    const context = contextOf('2026-03-03', '2026-03-20');
    const wanted = { columns: sql`span as rows_span, day as first_day`, also: sql` and previous_day = ${NEVER}::date` };
    const rows = await on.run(
      sql`select first_day::text as first, (first_day + rows_span - 1)::text as last from ${rowsOfDays(context, topPages, wanted)}`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ first, last }) => String(first) < '2026-03-03' || String(last) > '2026-03-20')).toEqual([]);
  });
});

function ranges(): [string, string][] {
  return [
    ['2026-03-02', '2026-03-02'],
    ['2026-03-03', '2026-03-20'],
    ['2026-01-05', '2026-05-28'],
    ['2026-03-03', '2026-05-30'],
    ['2026-05-30', '2026-05-30'],
    ['2026-03-03', '2026-05-29'],
    ['2025-01-01', '2027-01-01'],
  ];
}

/** Who viewed which of two pages on which day. */
const VISITS = Array.from({ length: 300 }, (_, at) => ({
  day: dayNumber('2026-01-01') + ((at * 37) % 150),
  visitor: (at * 11) % 17,
  value: at % 3 === 0 ? 1 : 2,
}));
type Visit = (typeof VISITS)[number];
const LATEST_DAY = Math.max(...VISITS.map(({ day }) => day));

const contextOf = (startDate: string, endDate: string) => queryContext({ startDate, endDate, latestDay: LATEST_DAY });

function naive(startDate: string, endDate: string, count: (visits: readonly Visit[]) => number): [number, number][] {
  const inRange = VISITS.filter(({ day }) => day >= dayNumber(startDate) && day <= dayNumber(endDate));
  return [1, 2]
    .map((value): [number, number] => [value, count(inRange.filter((visit) => visit.value === value))])
    .filter(([, counted]) => counted > 0);
}

const sorted = (rows: readonly (Readonly<Record<string, unknown>> | [number, number])[], column = ''): unknown[] =>
  rows
    .map((row) => (Array.isArray(row) ? row : [row['value'], row[column]]))
    .filter(([, counted]) => counted !== 0)
    .sort(([a], [b]) => Number(a) - Number(b));

/** The latest day is in blocks of a single day only. */
const isIn = ({ day }: Visit, span: number): boolean => span === 1 || day < LATEST_DAY;

/** The rows of a value as the projection keeps them: each block as a whole, and by the day of its visitors' last visit before it. */
function rowsOf(value: number, span: number, day: number) {
  const own = VISITS.filter((visit) => visit.value === value && isIn(visit, span));
  const inBlock = own.filter((visit) => blockOf(visit.day, span) === day);
  const visitors = [...new Set(inBlock.map(({ visitor }) => visitor))];
  const previous = visitors.map((visitor) =>
    Math.max(...own.filter((visit) => visit.visitor === visitor && visit.day < day).map((visit) => visit.day)),
  );
  const days = [...new Set(previous.filter(Number.isFinite))];
  const key = { website: 1, span, day: dayName(day), value };
  return [
    { ...key, previous_day: NEVER, visitors: visitors.length, pageviews: inBlock.length },
    ...days.map((before) => ({
      ...key,
      previous_day: dayName(before),
      visitors: previous.filter((each) => each === before).length,
    })),
  ];
}

let on: SqlDatabase;
beforeAll(async () => {
  on = await openSqlDatabase();
  for (const span of SPANS) {
    const visits = VISITS.filter((visit) => isIn(visit, span));
    const days = new Set(visits.map(({ day }) => blockOf(day, span)));
    for (const day of days) {
      await on.insert(
        topPages,
        [1, 2].flatMap((value) => rowsOf(value, span, day)),
      );
      const pageviews = visits.filter((visit) => blockOf(visit.day, span) === day).length;
      await on.insert(topPages, [
        { website: 1, span, day: dayName(day), value: EVERY_VALUE, previous_day: NEVER, pageviews },
        { website: 2, span, day: dayName(day), value: 1, previous_day: NEVER, pageviews: 1_000, visitors: 1_000 },
      ]);
    }
  }
});
afterAll(() => on.close());
