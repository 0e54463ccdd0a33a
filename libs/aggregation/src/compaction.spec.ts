import fc from 'fast-check';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { mergeCount } from './compaction';
import { layoutOf, mergeRollupParts, type RollupRows } from './rollup-part';

const row = fc.record({
  day: fc.integer({ min: -2, max: 6 }),
  path: fc.integer({ min: 0, max: 3 }),
  views: fc.integer({ min: -2, max: 2 }),
  visitors: fc.array(fc.record({ ago: fc.nat(2), count: fc.constantFrom(-1, 1) }), { maxLength: 3 }),
});
const pack = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.array(row, { minLength: 1, maxLength: 12 }))
  .map(([website, rows]): RollupRows => {
    rows.sort((a, b) => a.day - b.day);
    const visitors = rows.flatMap((each) => each.visitors);
    const column = (values: readonly number[]) => Int32Array.from(values);
    const columns = [
      column(rows.map(({ day }) => day)),
      column(rows.map(({ path }) => path)),
      column(rows.map(({ views }) => views)),
      column(rows.map((each) => each.visitors.length)),
      column(visitors.map(({ ago }) => ago)),
      column(visitors.map(({ count }) => count)),
    ];
    return { size: rows.length, website: new Int32Array(rows.length).fill(website), columns };
  });

it('packs are merged in pieces as at once', async () => {
  const packs = fc.array(pack, { minLength: 1, maxLength: 5 });
  const property = fc.asyncProperty(packs, fc.integer({ min: 1, max: 12 }), async (all, atOnce) => {
    let pauses = 0;
    const merged = await mergeCount(rollupNamed('pages'), all, () => Promise.resolve(void pauses++), atOnce);
    const rows = all.reduce((sum, { size }) => sum + size, 0);
    expect(pauses > 0).toBe(rows > atOnce);
    expect(rowsOf(merged)).toEqual(rowsOf(mergeRollupParts(layoutOf(rollupNamed('pages')), all)));
    expect([...merged.website].filter((website, at) => website !== merged.website[at - 1])).toHaveLength(
      new Set(merged.website).size,
    );
  });
  await fc.assert(property, { seed: 12, numRuns: 100 });
});

function rowsOf({ size, website, columns: [days, paths, views, lengths, ago, counts] }: RollupRows): readonly string[] {
  let entry = 0;
  return Array.from({ length: size }, (_, at) => {
    const visitors = Array.from({ length: lengths![at]! }, () => [ago![entry], counts![entry++]] as const);
    return JSON.stringify([website[at], days![at], paths![at], views![at], visitors.map(String).sort()]);
  }).sort();
}
