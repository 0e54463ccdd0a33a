import {
  count,
  emptyRow,
  listField,
  numberCell,
  nullableField,
  percent,
  secondsOf,
  shareOf,
  textField,
  textIn,
  timestamp,
  resultValue,
} from './fields';

const pages = listField({ path: textField });

describe('the value of a field', () => {
  it('is that of the column', () => {
    const row = { name: 'a', clicks: 3, share: 1.5, at: new Date(0), pages: [1] };
    expect([
      resultValue('name', textField, row),
      resultValue('clicks', count, row),
      resultValue('share', percent, row),
    ]).toEqual(['a', 3, 1.5]);
    expect(resultValue('at', timestamp, row)).toBe('1970-01-01T00:00:00.000Z');
    expect(resultValue('pages', pages, row)).toEqual([1]);
  });

  it.each([
    ['null', { x: null }],
    ['in an empty row', emptyRow()],
  ])('that is %s is empty, or null where the field allows it', (_, row) => {
    expect([textField, count, timestamp, pages].map((field) => resultValue('x', field, row))).toEqual([
      '',
      0,
      null,
      [],
    ]);
    expect([nullableField(textField), nullableField(count)].map((field) => resultValue('x', field, row))).toEqual([
      null,
      null,
    ]);
  });

  it('whose column is missing is an error', () => {
    for (const field of [textField, count, nullableField(count), timestamp, pages])
      expect(() => resultValue('clicks', field, { cliks: 1 })).toThrow('The rows have no column clicks.');
  });

  it('whose column is of another type is an error', () => {
    expect(() => resultValue('clicks', count, { clicks: '1' })).toThrow('The column clicks is no integer.');
  });
});

describe('a column of a row', () => {
  it.each([
    ['null', { x: null }],
    ['in an empty row', emptyRow()],
  ])('that is %s is empty', (_, row) => expect([textIn(row, 'x'), numberCell(row, 'x')]).toEqual(['', 0]));

  it('that is missing is an error', () => {
    expect(() => textIn({}, 'name')).toThrow('The rows have no column name.');
    expect(() => numberCell({}, 'clicks')).toThrow('The rows have no column clicks.');
  });

  it('of another type is an error', () => {
    expect(() => numberCell({ clicks: '1' }, 'clicks')).toThrow('The column clicks is no number.');
    expect(() => textIn({ name: 1 }, 'name')).toThrow('The column name is no text.');
  });
});

it('a share is in percent of all there are, and at most 100', () => {
  expect([shareOf({ visitors: 1, whole: 3 }, 'visitors'), shareOf(emptyRow(), 'visitors')]).toEqual([33.33, 0]);
  expect([0, 1].map((whole) => shareOf({ visitors: 2, whole }, 'visitors'))).toEqual([100, 100]);
});

it('a time is in seconds to the microsecond', () =>
  expect([secondsOf(1234.5678), secondsOf(null)]).toEqual([1.234568, null]));
