import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { blocksOf } from '@ledgerline/domain/sessions/day-blocks';
import { byDay } from '@ledgerline/domain/sessions/activity';
import { ALWAYS } from '@ledgerline/domain/sessions/local-session';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import fc from 'fast-check';
import { distinctIntoBlocks, intoBlocks, withEveryValue } from './into-blocks';
import type { Expand } from './rollup';

describe('rows of days in blocks', () => {
  it('give exact distinct counts of any range, from a few blocks', () => {
    const property = fc.property(visitors, range, fc.nat(100), (all, days, quiet) => {
      const latestDay = Math.max(0, ...all.flat().map(({ day }) => day)) + quiet;
      const rows = expandBy(EXPAND, all.flatMap(rowsOf), latestDay).filter(({ value }) => value === 1);
      const blocks = blocksOf(days, { spans: SPANS, before: false, after: true, latestDay });
      const counted = blocks.flatMap(({ span, day, sign }) =>
        rows
          .filter((row) => row.span === span && row.day === day)
          .filter(({ previous_day }) => previous_day === -Infinity || Number(previous_day) >= days.since)
          .map(({ previous_day, visitors: some }) => sign * Number(some) * (previous_day === -Infinity ? 1 : -1)),
      );
      const isIn = ({ value, day }: Visited) => value === 1 && day >= days.since && day <= days.until;
      expect(sum(counted)).toBe(all.filter((visits) => visits.some(isIn)).length);
    });
    fc.assert(property, { seed: 51, numRuns: 500 });
  });

  it('have the same sums in blocks of every length, and over all values', () => {
    const property = fc.property(visitors, (all) => {
      const rows = expandBy(EXPAND, all.flatMap(rowsOf));
      const pageviews = (span: number, isWanted: (value: unknown) => boolean) =>
        sum(rows.filter((row) => row.span === span && isWanted(row.value)).map((row) => Number(row.pageviews)));
      const expected = all.flat().length;
      for (const span of SPANS) {
        expect(pageviews(span, (value) => value === EVERY_VALUE)).toBe(expected);
        expect(pageviews(span, (value) => value !== EVERY_VALUE)).toBe(expected);
      }
    });
    fc.assert(property, { seed: 52 });
  });

  it('lie in one block of every length', () => {
    expect(expandBy(intoBlocks, [{ span: 1, day: 100, value: 7 }], 101)).toEqual([
      { span: 1, day: 100, value: 7 },
      { span: 8, day: 96, value: 7 },
      { span: 64, day: 64, value: 7 },
    ]);
  });

  it('lie in that of a single day only while the day is the latest', () => {
    expect(expandBy(intoBlocks, [{ span: 1, day: 100, value: 7 }], 100)).toEqual([{ span: 1, day: 100, value: 7 }]);
  });
});

interface Visited {
  readonly value: number;
  readonly day: number;
}

const EXPAND = withEveryValue(topPages, distinctIntoBlocks(['visitors'], { pageviews: 0, sessions: 0 }));

function expandBy(expand: Expand, rows: readonly Row[], latestDay = Infinity): Row[] {
  const expanded: Row[] = [];
  expand(
    rows,
    (row) => expanded.push(row),
    ({ day }) => Number(day) < latestDay,
  );
  return expanded;
}

const visitors = fc.array(
  fc.array(fc.record({ value: fc.integer({ min: 1, max: 2 }), day: fc.nat(300) }), { minLength: 1, maxLength: 8 }),
  { maxLength: 6 },
);
const range = fc.tuple(fc.nat(300), fc.nat(150)).map(([since, days]) => ({ since, until: since + days }));

const rowsOf = (visits: readonly Visited[]) =>
  byDay(
    visits.map((visited) => ({ ...visited, pageviews: 1, sessions: 0 })),
    ALWAYS,
  ).map(({ value, day, previousDay: previous_day, pageviews }) => {
    return { website: 1, span: 1, day, value, previous_day, visitors: 1, pageviews, sessions: 0 };
  });

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
