import { key, last, max, min, readModel, sum } from '@ledgerline/contracts/read-models/read-model';
import fc from 'fast-check';
import { difference, FoldedRows, type Row } from './read-model-rows';

describe('rows of a read model', () => {
  it('are one per key, merged column by column', () => {
    const rows = fold([
      { place: 'a', day: 1, count: 2, first: 5, newest: 5, label: 'old', note: 'x' },
      { place: 'a', day: 1, count: 3, first: 7, newest: 7, label: 'new', note: 'y' },
      { place: 'a', day: 1, count: 1, first: 4, newest: 4, label: 'older', note: 'z' },
      { place: 'a', day: 2, count: 1, first: 1, newest: 1, label: 'other', note: '' },
    ]);
    expect(rows.values()).toEqual([
      { place: 'a', day: 1, count: 6, first: 4, newest: 7, label: 'new', note: 'z' },
      { place: 'a', day: 2, count: 1, first: 1, newest: 1, label: 'other', note: '' },
    ]);
  });

  it('give their sums less what was there before, and leave out what stays the same', () => {
    const row = { place: 'a', day: 1, count: 5, first: 3, newest: 9, label: 'l', note: '' };
    const before = fold([row, { ...row, day: 2 }, { ...row, day: 3 }]);
    const after = fold([row, { ...row, day: 2, count: 7, newest: 10 }, { ...row, day: 4 }]);
    expect(difference(before, after)).toEqual([
      { ...row, day: 2, count: 2, newest: 10 },
      { ...row, day: 4 },
      { ...row, day: 3, count: -5 },
    ]);
  });

  it('added to what was there give what is there', () => {
    const some = fc.array(fc.record({ day: fc.integer({ min: 0, max: 3 }), count: fc.nat(9) }));
    const property = fc.property(some, some, (earlier, later) => {
      const [before, after] = [fold(earlier.map(complete)), fold(later.map(complete))];
      const total = fold([...before.values(), ...difference(before, after)].map((each) => ({ ...each })));
      const sums = (rows: FoldedRows) =>
        Object.fromEntries(rows.values().flatMap(({ day, count }) => (count === 0 ? [] : [[String(day), count]])));
      expect(sums(total)).toEqual(sums(after));
    });
    fc.assert(property, { seed: 43 });
  });
});

const model = readModel('places', {
  place: key('text'),
  day: key('date'),
  count: sum(),
  first: min('timestamptz'),
  newest: max('timestamptz'),
  label: last('text', 'newest'),
  note: last('text'),
});

const complete = (some: { day: number; count: number }): Row => ({
  place: 'a',
  first: 0,
  newest: 0,
  label: '',
  note: '',
  ...some,
});

function fold(rows: readonly Row[]): FoldedRows {
  const folded = new FoldedRows(model);
  for (const row of rows) folded.add({ ...row });
  return folded;
}
