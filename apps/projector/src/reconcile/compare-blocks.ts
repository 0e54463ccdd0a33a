import { SPANS } from '@ledgerline/contracts/read-models/blocks';
import { pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { sum, type ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { compareQueries, days } from '@ledgerline/platform/database/compare-rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import { identifier } from '@ledgerline/platform/database/sql';
import { blocksOfDays, MODELS } from '../projections/websites/close-days';
import type { WrittenTables } from '../projections/written-tables';
import { sumByDay, type TableDifference } from './findings';
import { answeringTable } from './live-partition';

/** The models with longer blocks, each the sum of its closed days. */
const BLOCKS = [...MODELS, pageTransitions];
export const LONGEST = Math.max(...SPANS);

/** One of the longest blocks of days of a website. */
interface LongestBlock {
  readonly website: number;
  /** Its first day. */
  readonly since: number;
}

/**
 * Compares the blocks of several days in one of the longest with the sums of their closed days. Of histograms the counts
 * and the sums of their bins are compared.
 */
export async function compareBlocks(
  on: Queryable,
  tables: WrittenTables,
  { website, since }: LongestBlock,
): Promise<TableDifference[]> {
  const latestDay = `select latest_day from ${quoted(tables.state, websiteDays.name)} where website = $1`;
  const differences: TableDifference[] = [];
  for (const each of BLOCKS) {
    const answering = answeringTable(tables, each);
    if (!answering) continue;
    const { table, model } = answering;
    const { expressions, added } = withoutHistograms(model);
    const rows = (which: string) => `(
        select ${expressions.join(', ')} from ${table} where website = $1 and ${which}
          and day >= '1970-01-01'::date + $2::integer and day < '1970-01-01'::date + $2::integer + $3::integer
      ) t`;
    const found = await compareQueries(on, {
      keys: mergeRolesOf(model).keys,
      at: days('day'),
      expected: blocksOfDays(added, rows(`span = 1 and day < (${latestDay})`)),
      stored: `select * from ${rows('span > 1')}`,
      values: [website, since, LONGEST],
    });
    differences.push(...sumByDay(model.name, found, (day) => day));
  }
  return differences;
}

/** A model with the count and the sum of the bins in the place of each histogram, and its columns in SQL. */
function withoutHistograms(model: ReadModel) {
  const bin = `((entry + ${2 ** 31}) >> 32)`;
  const columns = Object.entries(model.columns).flatMap(([name, column]) => {
    if (column.merge !== 'histogram') return [{ name, column, value: quoted(name) }];
    const of = (value: string) => `(select coalesce(sum(${value}), 0)::bigint from unnest(${quoted(name)}) entry)`;
    return [
      { name: `${name} count`, column: sum(), value: of(`entry - (${bin} << 32)`) },
      { name: `${name} sum`, column: sum(), value: of(`${bin} * (entry - (${bin} << 32))`) },
    ];
  });
  const added = { ...model, columns: Object.fromEntries(columns.map(({ name, column }) => [name, column])) };
  return { added, expressions: columns.map(({ name, value }) => `${value} as ${quoted(name)}`) };
}

const quoted = (...names: readonly string[]) => identifier(...names).text;
