import { COARSE } from '@ledgerline/contracts/read-models/blocks';
import { sessionDurations } from '@ledgerline/contracts/read-models/website-totals';
import { sql } from '@ledgerline/platform/database/sql';
import { openSqlDatabase, queryContext, type SqlDatabase } from '@test/query/sql-database';
import { medianBins } from './session-totals';

describe('a median', () => {
  it.each<[string, Record<string, number>]>([
    ['of one session', { 40: 1 }],
    ['of an even number is the lower one', { 3: 1, 5: 1, 70: 1, 71: 1 }],
    ['of many equal ones', { 3: 2, 64: 9, 65: 1 }],
    ['between two coarse bins', { 31: 2, 32: 2 }],
  ])('%s lies in the bin of the value in the middle', async (_, counts) => {
    website += 1;
    await insert('2026-03-02', counts);
    const [row] = await on.run(medianBins(queryContext({ website }), { grouped: sql`0`, where: sql`true` }));
    expect(row?.['median_bin']).toBe(middleOf(counts));
  });

  it('is that of each group, over all of its days', async () => {
    website += 1;
    await insert('2026-03-02', { 1: 3, 100: 1 });
    await insert('2026-03-03', { 100: 3 });
    await insert('2026-03-04', { 200: 1 });
    const grouped = sql`case when day < '2026-03-04' then 1 else 2 end`;
    const rows = await on.run(medianBins(queryContext({ website }), { grouped, where: sql`true` }));
    expect(Object.fromEntries(rows.map(({ grouped, median_bin }) => [grouped, median_bin]))).toEqual({
      1: 1 + 99,
      2: 200,
    });
  });

  it('is none without sessions', async () => {
    const none = medianBins(queryContext({ website: 1_000 }), { grouped: sql`0`, where: sql`true` });
    expect(await on.run(none)).toEqual([]);
  });
});

function middleOf(counts: Readonly<Record<string, number>>): number | undefined {
  const bins = Object.entries(counts).flatMap(([bin, count]) => Array<number>(count).fill(Number(bin)));
  return bins[Math.floor((bins.length - 1) / 2)];
}

async function insert(day: string, counts: Readonly<Record<string, number>>): Promise<void> {
  const coarse = new Map<number, number>();
  for (const [bin, sessions] of Object.entries(counts)) {
    const first = Math.floor(Number(bin) / COARSE) * COARSE;
    coarse.set(first, (coarse.get(first) ?? 0) + sessions);
    await on.insert(sessionDurations, [{ website, width: 1, day, bin: Number(bin), sessions }]);
  }
  for (const [bin, sessions] of coarse)
    await on.insert(sessionDurations, [{ website, width: COARSE, day, bin, sessions }]);
}

let website = 1;
let on: SqlDatabase;
beforeAll(async () => (on = await openSqlDatabase()));
afterAll(() => on.close());
