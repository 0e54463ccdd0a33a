import { emptyRow, numberIn, secondsOf, shareOf, textIn } from './sql-row';

describe('a column of a row', () => {
  it.each([
    ['null', { x: null }],
    ['in an empty row', emptyRow()],
  ])('that is %s is empty', (_, row) => expect([textIn(row, 'x'), numberIn(row, 'x')]).toEqual(['', 0]));

  it('that is missing is an error', () => {
    expect(() => textIn({}, 'name')).toThrow('The rows have no column name.');
    expect(() => numberIn({}, 'clicks')).toThrow('The rows have no column clicks.');
  });

  it('of another type is an error', () => {
    expect(() => numberIn({ clicks: '1' }, 'clicks')).toThrow('The column clicks is no number.');
    expect(() => textIn({ name: 1 }, 'name')).toThrow('The column name is no text.');
  });
});

it('a share is in percent of all there are, and at most 100', () => {
  expect([shareOf({ visitors: 1, whole: 3 }, 'visitors'), shareOf(emptyRow(), 'visitors')]).toEqual([33.33, 0]);
  expect([0, 1].map((whole) => shareOf({ visitors: 2, whole }, 'visitors'))).toEqual([100, 100]);
});

it('a time is in seconds to the microsecond', () =>
  expect([secondsOf(1234.5678), secondsOf(null)]).toEqual([1.234568, null]));
