import * as rollups from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { spanOf, stretchesOf } from '@ledgerline/domain/query/series-stretches';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, text } from '../../fields';
import { textIn } from '../../sql-row';
import { COUNTRY, NAME, only, PLACE, REFERRER, type Labels } from '../../labels';
import { byCounts, queryType, type QueryContext, type QueryType } from '../../query-type';
import { clicksIn, inBlocks } from '../../sql/fifteen-minutes';
import { topNWithTies, TOTAL_ROWS } from '../../sql/rollups';
import { bucketOf, instant } from '../../sql/series';

const LINKS = { about: 'link', category: 'Links' } as const;

export const linkTotalClicks = queryType({
  ...LINKS,
  name: 'link_total_clicks',
  shape: 'totals',
  description: 'Total click count',
  fields: { total: count },
  sources: {
    fifteenMinutes: (context) => sql`
select sum(clicks)::float8 as total
from ${inBlocks(context, rollups.linkClicks15min, [context], { columns: sql`clicks` })}`,
    facts: (context) => sql`
select count(*)::float8 as total
from ${clicksIn(context, context)}`,
  },
});

export const linkUniqueClicks = queryType({
  ...LINKS,
  name: 'link_unique_clicks',
  shape: 'totals',
  description: 'Total clicks and distinct daily visitors',
  fields: { total: count, unique: count },
  sources: {
    fifteenMinutes: uniqueByBlocks,
    facts: (context) => sql`
select count(*)::float8 as total, (count(distinct actor) filter (where actor <> id))::float8 as "unique"
from ${clicksIn(context, context)}`,
  },
});

/** All visitors of each block, without those of the range's earlier ones. */
function uniqueByBlocks(context: QueryContext): Sql {
  const all = { columns: sql`clicks, visitors` };
  const again = { columns: sql`visitors`, also: sql` and previous_15min >= ${instant(context.from)}` };
  return sql`
select sum(clicks)::float8 as total, sum(visitors)::float8 as "unique"
from (
  select clicks, visitors from ${inBlocks(context, rollups.linkClicks15min, [context], all)}
  union all
  select 0, -visitors from ${inBlocks(context, rollups.linkReturns, [context], again)}
) each_block`;
}

export const linkClicksByDay = queryType({
  ...LINKS,
  name: 'link_clicks_by_day',
  shape: 'series',
  description: 'Time series of clicks',
  fields: { date: text, clicks: count },
  sources: {
    fifteenMinutes: (context) => sql`
select bucket, sum(clicks)::float8 as clicks
from ${inBlocks(context, rollups.linkClicks15min, stretchesOf(context), { columns: sql`clicks` })}
group by 1`,
    facts: (context) => sql`
select ${bucketOf(context, sql`at`)} as bucket, count(*)::float8 as clicks
from ${clicksIn(context, spanOf(context))}
group by 1`,
  },
});

/** By the value of one attribute of clicks; '' = unknown (referrer: direct). */
interface Dimension extends Pick<QueryType, 'name' | 'description'> {
  readonly column: string;
  readonly rollup: ReadModel;
  readonly labels?: Labels;
}

const REFERRERS = { column: 'referrer', rollup: rollups.linkReferrers, labels: only(REFERRER, 'name', 'referrer') };
const COUNTRIES = { column: 'country', rollup: rollups.linkCountries, labels: COUNTRY };
const PLACES = { labels: only(PLACE, 'name', 'country_code', 'country_name') };

/** How many different known values there were in each bucket. */
const DISTINCT: readonly Dimension[] = [
  {
    ...REFERRERS,
    name: 'link_referrers_by_day',
    description: 'Time series count of unique referrers; direct clicks have none',
  },
  {
    ...COUNTRIES,
    name: 'link_countries_by_day',
    description: 'Time series count of unique countries; unknown ones are left out',
  },
];

/** Clicks by value. */
const TOP: readonly Dimension[] = [
  { ...REFERRERS, name: 'link_top_referrers', description: 'Top traffic sources' },
  { ...COUNTRIES, name: 'link_top_countries', description: 'Top countries by clicks' },
  {
    ...PLACES,
    name: 'link_top_regions',
    description: 'Top regions by clicks',
    column: 'region',
    rollup: rollups.linkRegions,
  },
  {
    ...PLACES,
    name: 'link_top_cities',
    description: 'Top cities by clicks',
    column: 'city',
    rollup: rollups.linkCities,
  },
  {
    name: 'link_top_devices',
    description: 'Device type breakdown (mobile, desktop, tablet)',
    column: 'device_type',
    rollup: rollups.linkDevices,
  },
  { name: 'link_top_browsers', description: 'Browser breakdown', column: 'browser_name', rollup: rollups.linkBrowsers },
];

function distinct({ name, description, rollup, column }: Dimension): QueryType {
  return queryType({
    ...LINKS,
    name,
    shape: 'series',
    description,
    fields: { date: text, value: count },
    sources: {
      fifteenMinutes(context) {
        const values = { columns: sql`value`, also: sql` and value <> ''` };
        return sql`
select bucket, count(*)::float8 as value
from (
  select distinct bucket, value from ${inBlocks(context, rollup, stretchesOf(context), values)}
) each_value
group by 1`;
      },
      facts: (context) => sql`
select ${bucketOf(context, sql`at`)} as bucket, count(distinct ${identifier(column)})::float8 as value
from ${clicksIn(context, spanOf(context))} and ${identifier(column)} <> ''
group by 1`,
    },
  });
}

function top({ name, description, rollup, column, labels = NAME }: Dimension): QueryType {
  const topOf = (context: QueryContext, clicks: Sql, rows: Sql, value: Sql) => sql`
select value as text, clicks::float8 as clicks, total_rows::float8 as total_rows
from (
  select ${value} as value, ${clicks} as clicks, ${TOTAL_ROWS} from ${rows} group by 1${topNWithTies(['clicks'], context)}
) ranked`;
  return queryType({
    ...LINKS,
    name,
    shape: 'list',
    description,
    fields: { ...labels.fields, clicks: count },
    order: byCounts(['clicks'], ...Object.keys(labels.fields)),
    sources: {
      fifteenMinutes: (context) => {
        const blocks = inBlocks(context, rollup, [context], { columns: sql`value, clicks` });
        return topOf(context, sql`sum(clicks)`, blocks, sql`value`);
      },
      facts: (context) => topOf(context, sql`count(*)`, clicksIn(context, context), identifier(column)),
    },
    row: (found) => labels.of(textIn(found, 'text')),
  });
}

export const linkDimensions: readonly QueryType[] = [...DISTINCT.map(distinct), ...TOP.map(top)];
