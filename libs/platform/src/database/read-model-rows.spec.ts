import fc from 'fast-check';
import type { Pool } from 'pg';
import { histogram, key, last, max, min, readModel, sum } from '@ledgerline/contracts/read-models/read-model';
import { createReadModels } from '@test/postgres/read-model-tables';
import { type TestDatabase, createTestDatabase } from '@test/postgres/test-database';
import { openPool, run } from './pool';
import {
  FoldedRows,
  type Histogram,
  type ReadModelRow,
  addHistograms,
  binaryHistograms,
  differenceRows,
  eachEntry,
} from './read-model-rows';
import { deleteEmptied, upsert } from './read-model-upsert';
import { sql } from './sql';

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
    expect(differenceRows(before, after)).toEqual([
      { ...row, day: 2, count: 2, newest: 10 },
      { ...row, day: 4 },
      { ...row, day: 3, count: -5 },
    ]);
  });

  it('added to what was there give what is there', () => {
    const some = fc.array(fc.record({ day: fc.integer({ min: 0, max: 3 }), count: fc.nat(9) }));
    const property = fc.property(some, some, (earlier, later) => {
      const before = fold(earlier.map(complete));
      const after = fold(later.map(complete));
      const total = fold([...before.values(), ...differenceRows(before, after)].map((each) => ({ ...each })));
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

const complete = (some: { day: number; count: number }): ReadModelRow => ({
  place: 'a',
  first: 0,
  newest: 0,
  label: '',
  note: '',
  ...some,
});

function fold(rows: readonly ReadModelRow[]): FoldedRows {
  const folded = new FoldedRows(model);
  for (const row of rows) folded.add({ ...row });
  return folded;
}

describe('a histogram', () => {
  it('adds the counts of each bin, and subtracts them again', () => {
    const property = fc.property(counts, counts, (a, b) => {
      const left = histogramOf(a);
      const right = histogramOf(b);
      const both = addHistograms(left, right);
      expect(both).toEqual(expected([...a, ...b]));
      expect(addHistograms(both, right, -1)).toEqual(left);
    });
    fc.assert(property, { seed: 71 });
  });

  it('holds negative counts, as differences have them', () =>
    expect(addHistograms([7, 2], [7, 5], -1)).toEqual([7, -3]));

  it('is read back from its binary form', () => {
    const property = fc.property(fc.array(counts, { maxLength: 4 }), (several) => {
      const histograms = several.map(histogramOf);
      const read: number[] = [];
      eachEntry(binaryHistograms(histograms), (bin, count) => read.push(bin, count));
      expect(read).toEqual(histograms.flat());
    });
    fc.assert(property, { seed: 72 });
  });
});

const bin = fc.oneof(fc.nat(12), fc.integer({ min: 2 ** 31 - 4, max: 2 ** 31 - 1 }));
const counts = fc.array(fc.record({ bin, count: fc.integer({ min: 1, max: 2 ** 27 }) }), { maxLength: 6 });
type Counts = readonly { readonly bin: number; readonly count: number }[];

const histogramOf = (of: Counts) =>
  of.reduce<Histogram>((sum, { bin: at, count }) => addHistograms(sum, [at, count]), []);

function expected(of: Counts): number[] {
  const sums = new Map<number, number>();
  for (const { bin: at, count } of of) sums.set(at, (sums.get(at) ?? 0) + count);
  return [...sums].sort(([a], [b]) => a - b).flat();
}

describe('a histogram in Postgres', () => {
  it('adds bin by bin, and subtracts what is gone', async () => {
    const folded = (...rows: readonly (readonly number[])[]) => {
      const all = new FoldedRows(measured);
      for (const bins of rows) all.add({ id: 1, count: bins.length, bins });
      return all;
    };
    const first = folded([3, 1], [LAST_BIN, 1]);
    const second = folded([3, 1], [7, 1], [3, 1]);
    await run(pool, upsert('g_v1', measured, first.values()));
    await run(pool, upsert('g_v1', measured, differenceRows(folded(), second)));
    await run(pool, upsert('g_v1', measured, differenceRows(folded([3, 1], [LAST_BIN, 1]), folded([LAST_BIN - 1, 1]))));
    await run(pool, upsert('g_v1', measured, [{ id: 0, count: 0, bins: [] }]));
    const sent = sql`select string_agg(array_send(bins), ''::bytea order by id) as bins from (
      select * from g_v1.measured union all select * from g_v1.measured) twice`;
    const [read] = await run<{ bins: Buffer }>(pool, sent);
    const entries: number[] = [];
    eachEntry(read!.bins, (bin, count) => entries.push(bin, count));
    const stored = [3, 2, 7, 1, LAST_BIN - 1, 1];
    expect(entries).toEqual([...stored, ...stored]);
  });

  it('keeps counts of the greatest bin, and loses a row of which nothing is left', async () => {
    const counts = (times: number) => run(pool, upsert('g_v1', binned, [{ id: 1, bins: [LAST_BIN, times] }]));
    await counts(2 ** 30);
    await counts(2 ** 30 - 3);
    const stored = () => run(pool, sql`select bins::text from g_v1.binned`);
    expect(await stored()).toEqual([{ bins: `{${2n ** 63n - 2n ** 32n + 2n ** 31n - 3n}}` }]);
    const gone: ReadModelRow = { id: 1, bins: [LAST_BIN, 3 - 2 ** 31] };
    await run(pool, upsert('g_v1', binned, [gone]));
    expect(await stored()).toEqual([{ bins: '{}' }]);
    await run(pool, deleteEmptied('g_v1', binned, [gone])!);
    expect(await stored()).toEqual([]);
  });
});

const measured = readModel('measured', { id: key('integer'), count: sum(), bins: histogram() });
const binned = readModel('binned', { id: key('integer'), bins: histogram() });
const LAST_BIN = 2 ** 31 - 1;

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.url, name: 'spec', max: 1 });
  await createReadModels(pool, 'g_v1', [measured, binned]);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
