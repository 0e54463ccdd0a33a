import { SPANS } from '@ledgerline/contracts/read-models/blocks';
import { NEVER, type ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import { resolution } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, type Sql } from '@ledgerline/platform/database/sql';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { isAppended, writeTo, type WrittenTables } from '../written-tables';
import { KEPT_TABLES } from './kept-tables';

export interface WebsiteDay {
  /** Text id. */
  readonly website: number;
  /** Days since 1970-01-01. */
  readonly day: number;
}

/** The models whose closed days are added to longer blocks here. */
export const MODELS: readonly ReadModel[] = KEPT_TABLES.map(({ builds }) => builds).filter(
  ({ columns }) => 'span' in columns,
);
const LONGER = SPANS.filter((span) => span > 1);

/**
 * Adds the stored rows of these days, each of another website, to the longer blocks that they lie in, as `tableRows`
 * does with the rows of a batch.
 */
export const closeDays = (tables: WrittenTables, days: readonly WebsiteDay[], models = MODELS): readonly Sql[] =>
  models
    .filter((model) => !isAppended(tables, model))
    .flatMap((each) =>
      writeTo(tables, each, (schema, model) => ({
        name: `close ${schema}.${model.name}`,
        text: `${closing(schema, model, givenDays(schema, model))}
    ${merging(model)}`,
        values: [days.map(({ website }) => website), days.map(({ day }) => day)],
      })),
    );

/** TRICKY: the offset keeps Postgres from joining in another way than by looking up each day in the index. */
const givenDays = (
  schema: string,
  { name }: ReadModel,
): string => `unnest($1::integer[], $2::integer[]) as closed (website, number)
      cross join lateral (
        select * from ${quoted(schema, name)}
        where website = closed.website and span = 1 and day = '1970-01-01'::date + closed.number offset 0
      ) t`;

/** The same for all days that are over, of a table that has no longer blocks yet. */
export const closeAllDays = (schema: string, model: ReadModel): readonly string[] =>
  MODELS.includes(model) ? [closing(schema, model, daysThatAreOver(schema, model))] : [];

const daysThatAreOver = (schema: string, { name }: ReadModel): string =>
  `${quoted(schema, name)} t join ${quoted(schema, websiteDays.name)} w on w.website = t.website and t.day < w.latest_day`;

function closing(schema: string, model: ReadModel, days: string): string {
  const { names, keys } = mergeRolesOf(model);
  return `insert into ${quoted(schema, model.name)} as old (${names.map((name) => quoted(name)).join(', ')})
    ${blocksOfDays(model, days)}
    order by ${keys.map((name) => quoted(name)).join(', ')}`;
}

/** The rows of longer blocks from rows `t` of days; of histograms it takes one day only. */
export function blocksOfDays(model: ReadModel, days: string): string {
  const { names, keys } = mergeRolesOf(model);
  return `select * from (
      select ${names.map((name) => `${valueOf(model, name)} as ${quoted(name)}`).join(', ')}
      from ${days}
      cross join lateral (
        select span, '1970-01-01'::date + (floor((t.day - '1970-01-01'::date) / span::float8) * span)::integer as day
        from unnest('{${LONGER.join(', ')}}'::smallint[]) as span
      ) block
      group by ${keys.map((key) => names.indexOf(key) + 1).join(', ')}
    ) added${isSomething(model)}`;
}

const merging = (model: ReadModel): string =>
  `on conflict (${mergeRolesOf(model)
    .keys.map((name) => quoted(name))
    .join(', ')}) do ${resolution(model)}`;

/** Who was there earlier in the same block is not counted again. A day has one row of each key beside its `previous_day`. */
function valueOf(model: ReadModel, name: string): string {
  const { keys, sums, mins, lasts } = mergeRolesOf(model);
  const wasInBlock = 't.previous_day >= block.day';
  if (name === 'span' || name === 'day') return `block.${name}`;
  if (name === 'previous_day') return `case when ${wasInBlock} then '${NEVER}'::date else t.previous_day end`;
  const column = `t.${quoted(name)}`;
  if (keys.includes(name)) return column;
  const last = lasts.find((each) => each.name === name);
  if (last?.by !== undefined) return `(array_agg(${column} order by t.${quoted(last.by)} desc))[1]`;
  if (!sums.includes(name)) return `${mins.includes(name) ? 'min' : 'max'}(${column})`;
  const counted =
    'previous_day' in model.columns ? `case when ${wasInBlock} then -${column} else ${column} end` : column;
  return `sum(${counted})::${model.columns[name]?.type}`;
}

/** A condition on rows that leaves those out that add nothing to sums; see `expandRows`. */
export function isSomething(model: ReadModel): string {
  const { sums, mins, maxes, lasts, histograms } = mergeRolesOf(model);
  if (mins.length + maxes.length + lasts.length > 0) return '';
  const some = [...sums.map((name) => `${quoted(name)} <> 0`), ...histograms.map((name) => `${quoted(name)} <> '{}'`)];
  return ` where ${some.join(' or ')}`;
}

const quoted = (...names: readonly string[]) => identifier(...names).text;
