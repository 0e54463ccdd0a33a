import { comparingRows, newestRowsOfPage, rowsOfPage, percentage, type RowOrder, type AnswerRow } from './rows';

describe('rows', () => {
  it('are sorted by one field after the other', () =>
    expect(sortRows(ROWS, [desc('views'), asc('name')]).map(({ name }) => name)).toEqual(['b', 'a', 'c', 'd']));

  it('put what is null last, whichever way they are sorted', () => {
    const rows = [{ median: null }, { median: 1 }, { median: 2 }];
    expect(sortRows(rows, [asc('median')]).at(-1)?.median).toBeNull();
    expect(sortRows(rows, [desc('median')]).at(-1)?.median).toBeNull();
  });

  it('compare texts by code point', () =>
    expect(sortRows([{ n: '😀' }, { n: '\uffee' }, { n: 'ä' }, { n: 'Z' }], [asc('n')]).map(({ n }) => n)).toEqual([
      'Z',
      'ä',
      '\uffee',
      '😀',
    ]));

  it('are paged from the first', () => {
    expect(rowsOfPage([1, 2, 3, 4, 5], { page: 2, limit: 2 })).toEqual([3, 4]);
    expect(rowsOfPage([1, 2, 3], { page: 3, limit: 2 })).toEqual([]);
  });

  it('of a series are paged from the newest, in the order of time', () => {
    expect(newestRowsOfPage([1, 2, 3, 4, 5], { page: 1, limit: 2 })).toEqual([4, 5]);
    expect(newestRowsOfPage([1, 2, 3, 4, 5], { page: 3, limit: 2 })).toEqual([1]);
    expect(newestRowsOfPage([1, 2, 3, 4, 5], { page: 4, limit: 2 })).toEqual([]);
  });
});

describe('a percentage', () => {
  it('has two decimals', () => expect(percentage(1, 3)).toBe(33.33));
  it('of nothing is 0', () => expect(percentage(0, 0)).toBe(0));
});

const sortRows = <R extends AnswerRow>(rows: readonly R[], orders: readonly RowOrder[]): R[] =>
  [...rows].sort(comparingRows(orders));
const asc = (field: string) => ({ field, direction: 'asc' as const });
const desc = (field: string) => ({ field, direction: 'desc' as const });
const ROWS = [
  { name: 'd', views: 0 },
  { name: 'c', views: 1 },
  { name: 'b', views: 2 },
  { name: 'a', views: 1 },
];
