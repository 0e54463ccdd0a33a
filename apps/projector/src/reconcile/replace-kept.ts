import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import { KEPT_COUNTS } from '@ledgerline/domain/counts/website-counts';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { keptDifferences } from '../comparing/kept-difference';
import { readPacks } from '../comparing/kept-packs';
import type { TableTarget } from '../projections/written-tables';
import { keptFindings, type TableDifference } from './findings';
import { Replay } from './replay';

const REPLAYED = Replay.tableOf(keptCounts);

/** Compares what is kept of a website with what is kept of its replayed events. */
export async function findDifferingKept(
  on: Queryable,
  target: TableTarget,
  website: number,
): Promise<readonly TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const count of KEPT_COUNTS) {
    if (!(count.name in target.model.columns)) continue;
    const expected = await readPacks(on, REPLAYED, count, [website]);
    const found = await readPacks(on, tableOf(target), count, [website]);
    differences.push(...keptFindings(count, keptDifferences(count, expected, found)));
  }
  return differences;
}

/** Replaces all that is kept of a website: extremes and packs that cannot be read are not mended by adding something. */
export async function replaceKept(on: Queryable, target: TableTarget, website: number): Promise<void> {
  const values = [website];
  const left = { text: `select from ${tableOf(target)} where website = $1 limit 1`, values };
  // TRICKY: a statement that waited for rows does not see those that they were merged into meanwhile
  while ((await run(on, left)).length > 0)
    await run(on, { text: `delete from ${tableOf(target)} where website = $1`, values });
  const names = Object.keys(target.model.columns).map((name) => identifier(name).text);
  const columns = names.join(', ');
  const text = `insert into ${tableOf(target)} (${columns}) select ${columns} from ${REPLAYED} where website = $1`;
  await run(on, { text, values });
}

const tableOf = ({ schema }: TableTarget) => identifier(schema, keptCounts.name).text;
