import { KEPT_COUNTS } from '@ledgerline/domain/counts/website-counts';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { keptDifferences, type KeptDifference } from '../comparing/kept-difference';
import { readPacks } from '../comparing/kept-packs';
import { SHOWN, withoutSame, type Difference, type TablePair } from './difference';

/** Bytes of packs of websites that are compared together, about; a website with more is compared alone. */
const AT_ONCE = 4 * 2 ** 20;

/** Compares what the packs of two tables add up to, column by column. */
export async function compareKept(on: Queryable, { model, before, after }: TablePair): Promise<Difference[]> {
  const differences: Difference[] = [];
  const portions = await websitesOf(on, before, after);
  for (const count of KEPT_COUNTS) {
    if (!(count.name in model.columns)) continue;
    const rows: KeptDifference[] = [];
    let [onlyBefore, onlyAfter] = [0, 0];
    for (const websites of portions) {
      const [expected, found] = [
        await readPacks(on, after, count, websites),
        await readPacks(on, before, count, websites),
      ];
      for (const row of keptDifferences(count, expected, found)) {
        if (row.found) onlyBefore++;
        if (row.expected) onlyAfter++;
        if (rows.length < SHOWN) rows.push(row);
      }
    }
    if (rows.length === 0) continue;
    const shown = rows.map(({ website, day, key, expected, found }) => {
      return { key: { website, day, ...key }, ...withoutSame(found, expected) };
    });
    differences.push({ table: `${model.name}.${count.name}`, onlyBefore, onlyAfter, rows: shown });
  }
  return differences;
}

/** The websites of both tables, in portions that are compared together. */
async function websitesOf(on: Queryable, ...tables: readonly string[]): Promise<readonly (readonly number[])[]> {
  const each = tables.map((table) => `select website, size from ${table}`).join(' union all ');
  const text = `select website, sum(size)::float8 as size from (${each}) both_tables group by website order by website`;
  const portions: number[][] = [];
  let bytes = Infinity;
  for (const { website, size } of await run<{ website: number; size: number }>(on, { text, values: [] })) {
    bytes += size;
    if (bytes <= AT_ONCE) portions.at(-1)?.push(website);
    else {
      portions.push([website]);
      bytes = size;
    }
  }
  return portions;
}
