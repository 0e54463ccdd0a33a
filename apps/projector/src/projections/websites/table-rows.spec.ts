import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import { pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { PAGES, TIME_ON_PAGES } from '@ledgerline/domain/counts/website-counts';
import type { Differences } from '@ledgerline/domain/counting/differences';
import { blocksOf } from '@ledgerline/domain/sessions/day-blocks';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import fc from 'fast-check';
import type { KeptPart } from './kept-tables';
import { NOTHING_CLOSED, tableRows, takesAway } from './table-rows';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';

describe('rows of days in blocks', () => {
  it('give exact distinct counts of any range, from a few blocks', () => {
    const property = fc.property(visitors, range, fc.nat(100), (all, days, quiet) => {
      const latestDay = Math.max(0, ...all.flat().map(({ day }) => day)) + quiet;
      const rows = rowsOf(all, latestDay).filter(({ value }) => value === 1);
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
      const rows = rowsOf(all);
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

  it('lie in one block of every length, in that of a single day only while the day is the latest', () => {
    const blocks = (latestDay: number) =>
      rowsOf([[{ value: 7, day: 100 }]], latestDay)
        .filter(({ value }) => value === 7)
        .map(({ span, day }) => [span, day]);
    expect(blocks(101)).toEqual([
      [1, 100],
      [8, 96],
      [64, 64],
    ]);
    expect(blocks(100)).toEqual([[1, 100]]);
  });

  it.each([1, 2 ** 30, 2 ** 31 - 1])('are of the value %d, however large it is', (value) => {
    const part: KeptPart = { count: TIME_ON_PAGES, columns: { visitors: 'timed_visitors', median_ms: 'time_bins' } };
    const at = {
      size: 1,
      website: Int32Array.of(2 ** 31 - 1),
      day: Float64Array.of(20_000),
      keys: { value: Float64Array.of(value) },
    };
    const distinct = { visitors: [{ ...at, previousDay: Float64Array.of(19_999), count: Float64Array.of(1) }] };
    const figures = { ...at, figures: { median_ms: { values: [[5, 1]] } } };
    const rows = tableRows({ builds: pageVisits }, [[part, { figures, distinct }]], NOTHING_CLOSED);
    expect(rows.map((row) => [row['value'], row['previous_day'], row['timed_visitors'], row['time_bins']])).toEqual([
      [value, -Infinity, 1, [5, 1]],
      [value, 19_999, 1, []],
    ]);
    expect(takesAway(rows, mergeRolesOf(pageVisits))).toBe(false);
  });
});

interface Visited {
  readonly value: number;
  readonly day: number;
}

const PART: KeptPart = { count: PAGES, columns: { pageviews: 'pageviews', visitors: 'visitors' } };

/** Each visit is a page view. */
function rowsOf(all: readonly (readonly Visited[])[], latestDay = Infinity): readonly Row[] {
  const table = { builds: topPages, hasEveryValue: true } as const;
  const changes = all.map((visits) => [PART, differencesOf(visits)] as const);
  return tableRows(table, changes, (_, day) => day < latestDay);
}

function differencesOf(visits: readonly Visited[]): Differences {
  const columns = (rows: readonly Visited[]) => ({
    size: rows.length,
    website: new Int32Array(rows.length).fill(1),
    day: Float64Array.from(rows, ({ day }) => day),
    keys: { value: Float64Array.from(rows, ({ value }) => value) },
  });
  const days = visits.filter((one, at) => !visits.slice(0, at).some((other) => isSame(one, other)));
  const previous = ({ value, day }: Visited) =>
    Math.max(-Infinity, ...days.filter((other) => other.value === value && other.day < day).map((other) => other.day));
  return {
    figures: { ...columns(visits), figures: { pageviews: { values: new Float64Array(visits.length).fill(1) } } },
    distinct: {
      visitors: [
        {
          ...columns(days),
          previousDay: Float64Array.from(days, previous),
          count: new Float64Array(days.length).fill(1),
        },
      ],
    },
  };
}

const isSame = (a: Visited, b: Visited): boolean => a.value === b.value && a.day === b.day;

const visitors = fc.array(
  fc.array(fc.record({ value: fc.integer({ min: 1, max: 2 }), day: fc.nat(300) }), { minLength: 1, maxLength: 8 }),
  { maxLength: 6 },
);
const range = fc.tuple(fc.nat(300), fc.nat(150)).map(([since, days]) => ({ since, until: since + days }));

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
