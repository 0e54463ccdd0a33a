import { count, orNull, ratio, text } from '../fields';
import { byCounts, queryType } from '../query-type';
import { withComparison } from './comparison';

const list = queryType({
  name: 'clicked',
  about: 'website',
  shape: 'list',
  category: 'Test',
  description: 'A list with a text that does not identify its rows',
  fields: { href: text, latest: text, clicks: count, depth: orNull(ratio) },
  order: byCounts(['clicks'], 'href'),
  sources: { facts: () => ({ text: '', values: [] }) },
});
const series = queryType({ ...list, shape: 'series', order: [], fields: { date: text, clicks: count } });

describe('rows compared with an earlier range', () => {
  it('have the figures of the row with the same labels', async () =>
    expect(
      await withComparison(
        list,
        [
          { href: '/a', latest: 'new', clicks: 3, depth: 1.5 },
          { href: '/b', latest: 'b', clicks: 1, depth: null },
        ],
        [
          { href: '/b', latest: 'b', clicks: 4, depth: 2 },
          { href: '/a', latest: 'old', clicks: 2, depth: null },
        ],
      ),
    ).toEqual([
      {
        href: '/a',
        latest: 'new',
        clicks: 3,
        depth: 1.5,
        previous: { clicks: 2, depth: null },
        change_percent: { clicks: 50, depth: null },
      },
      {
        href: '/b',
        latest: 'b',
        clicks: 1,
        depth: null,
        previous: { clicks: 4, depth: 2 },
        change_percent: { clicks: -75, depth: null },
      },
    ]));

  it('have zeros where nothing was before, and no change', async () =>
    expect((await withComparison(list, [{ href: '/a', latest: '', clicks: 3, depth: 1 }], []))[0]).toMatchObject({
      previous: { clicks: 0, depth: null },
      change_percent: { clicks: null, depth: null },
    }));

  it('of a series have those of the bucket at the same place, whatever its date', async () =>
    expect(
      await withComparison(
        series,
        [
          { date: '2026-03-01', clicks: 2 },
          { date: '2026-03-02', clicks: 2 },
        ],
        [{ date: '2025-03-01', clicks: 4 }],
      ),
    ).toMatchObject([
      { previous: { clicks: 4 }, change_percent: { clicks: -50 } },
      { previous: { clicks: 0 }, change_percent: { clicks: null } },
    ]));
});
