import { SPANS } from '@ledgerline/contracts/read-models/blocks';
import { pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { NEVER, type ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { compareQueries, days } from '@ledgerline/platform/database/compare-rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import { identifier } from '@ledgerline/platform/database/sql';
import { MODELS } from '../projections/websites/close-days';
import type { WrittenTables } from '../projections/written-tables';
import { sumByDay, type TableDifference } from './findings';
import { answeringTable } from './live-partition';

/** The models with longer blocks, each the sum of its closed days. */
const BLOCKS = [...MODELS, pageTransitions];
const LONGER = SPANS.filter((span) => span > 1);
export const LONGEST = Math.max(...SPANS);

/** One of the longest blocks of days of a website. */
interface LongestBlock {
  readonly website: number;
  /** Its first day. */
  readonly since: number;
}

/**
 * Compares the blocks of several days in one of the longest with the sums of their closed days. Of histograms the counts and the sums of
 * their bins are compared.
 */
export async function compareBlocks(
  on: Queryable,
  tables: WrittenTables,
  { website, since }: LongestBlock,
): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const each of BLOCKS) {
    const answering = answeringTable(tables, each);
    if (!answering) continue;
    const { table, model } = answering;
    const found = await compareQueries(on, {
      keys: mergeRolesOf(model).keys,
      at: days('day'),
      expected: sumOfDays(table, model, tables),
      stored: storedBlocks(table, model),
      values: [website, since, LONGEST],
    });
    differences.push(...sumByDay(model.name, found, (day) => day));
  }
  return differences;
}

const inBlock = (table: string) => `${table}.website = $1::integer and ${table}.day >= '1970-01-01'::date + $2::integer
  and ${table}.day < '1970-01-01'::date + $2::integer + $3::integer`;

function sumOfDays(table: string, model: ReadModel, tables: WrittenTables): string {
  const { keys, sums, mins, maxes, lasts, histograms } = mergeRolesOf(model);
  const columns = [
    ...keys.map((name) => `${keyOf(name)} as ${quoted(name)}`),
    ...sums.map((name) => `sum(${signed(model, `t.${quoted(name)}`)})::bigint as ${quoted(name)}`),
    ...mins.map((name) => `min(${quoted(name)}) as ${quoted(name)}`),
    ...maxes.map((name) => `max(${quoted(name)}) as ${quoted(name)}`),
    ...lasts.map(
      ({ name, by = name }) => `(array_agg(${quoted(name)} order by ${quoted(by)} desc))[1] as ${quoted(name)}`,
    ),
    ...histograms.flatMap((name) => moments(name).map((each) => `sum(${each.value})::bigint as ${each.name}`)),
  ];
  const some = [...sums.map(quoted1), ...histograms.flatMap((name) => moments(name).map((each) => each.name))];
  const isSomething = mins.length + maxes.length > 0 ? '' : ` where ${some.map((name) => `${name} <> 0`).join(' or ')}`;
  return `select * from (
      select ${columns.join(', ')} from ${table} t
      cross join lateral (
        select span, '1970-01-01'::date + (floor((t.day - '1970-01-01'::date) / span::float8) * span)::integer as day
        from unnest('{${LONGER.join(', ')}}'::smallint[]) as span
      ) block
      where ${inBlock('t')} and t.span = 1
        and t.day < (${latestDay(tables)})
      group by ${keys.map((_, at) => at + 1).join(', ')}
    ) summed${isSomething}`;

  function keyOf(name: string): string {
    if (name === 'span' || name === 'day') return `block.${name}`;
    return name === 'previous_day'
      ? `case when ${WAS_IN_BLOCK} then '${NEVER}'::date else t.previous_day end`
      : `t.${quoted(name)}`;
  }
}

/** Who was there earlier in the same block is not counted again. */
const WAS_IN_BLOCK = 't.previous_day >= block.day';
const signed = ({ columns }: ReadModel, column: string) =>
  'previous_day' in columns ? `case when ${WAS_IN_BLOCK} then -${column} else ${column} end` : column;

function storedBlocks(table: string, model: ReadModel): string {
  const { keys, sums, mins, maxes, lasts, histograms } = mergeRolesOf(model);
  const columns = [
    ...keys.map(quoted1),
    ...sums.map((name) => `${quoted(name)}::bigint as ${quoted(name)}`),
    ...[...mins, ...maxes, ...lasts.map(({ name }) => name)].map(quoted1),
    ...histograms.flatMap((name) => moments(name).map((each) => `${each.value}::bigint as ${each.name}`)),
  ];
  return `select ${columns.join(', ')} from ${table} t where ${inBlock('t')} and span > 1`;
}

/** How many values a histogram holds, and the sum of their bins. */
function moments(name: string) {
  const bin = `((entry + ${2 ** 31}) >> 32)`;
  const of = (value: string) => `(select coalesce(sum(${value}), 0) from unnest(${quoted(name)}) entry)`;
  return [
    { name: quoted(`${name} count`), value: of(`entry - (${bin} << 32)`) },
    { name: quoted(`${name} sum`), value: of(`${bin} * (entry - (${bin} << 32))`) },
  ];
}

const latestDay = ({ state }: WrittenTables) =>
  `select latest_day from ${quoted(state, websiteDays.name)} w where w.website = t.website`;
const quoted = (...names: readonly string[]) => identifier(...names).text;
const quoted1 = (name: string) => quoted(name);
