import type { LinkFilterName } from '@ledgerline/contracts/attributes';
import * as rollups from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { spanOf, stretchesOf } from '@ledgerline/domain/query/buckets';
import { instant, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, labelsOf, nullableField, textField, textIn, timestamp, type Labels } from '../../declaration/fields';
import type { QueryContext } from '../../declaration/query-context';
import { byCounts, queryType, type QueryType } from '../../declaration/query-type';
import { topNWithTies, TOTAL_ROWS } from '../../sql/rows';
import { bucketNumberSql, clicksIn, inBlocks } from '../../sql/time';

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
    blocksAreOfOne: true,
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

export const linkLastClick = queryType({
  ...LINKS,
  name: 'link_last_click',
  shape: 'totals',
  description: 'Time of the newest click; null without one',
  fields: { last_clicked: nullableField(timestamp) },
  sources: {
    facts: (context) => sql`
select max(at) as last_clicked
from ${clicksIn(context, context)}`,
  },
});

export const linkClicksByDay = queryType({
  ...LINKS,
  name: 'link_clicks_by_day',
  shape: 'series',
  description: 'Time series of clicks',
  fields: { date: textField, clicks: count },
  sources: {
    fifteenMinutes: (context) => sql`
select bucket, sum(clicks)::float8 as clicks
from ${inBlocks(context, rollups.linkClicks15min, stretchesOf(context), { columns: sql`clicks` })}
group by 1`,
    facts: (context) => sql`
select ${bucketNumberSql(context, sql`at`)} as bucket, count(*)::float8 as clicks
from ${clicksIn(context, spanOf(context))}
group by 1`,
  },
});

interface Dimension {
  readonly rollup: ReadModel;
  readonly labels: Labels;
}

/** By the value of one attribute of clicks; '' = unknown (referrer: direct). */
export const LINK_DIMENSIONS: Readonly<Record<LinkFilterName, Dimension>> = {
  referrer: { rollup: rollups.linkReferrers, labels: labelsOf('referrer', 'name', 'referrer') },
  country: { rollup: rollups.linkCountries, labels: labelsOf('country') },
  region: { rollup: rollups.linkRegions, labels: labelsOf('region', 'name', 'country_code', 'country_name') },
  city: { rollup: rollups.linkCities, labels: labelsOf('city', 'name', 'country_code', 'country_name') },
  device_type: { rollup: rollups.linkDevices, labels: labelsOf('device_type') },
  browser_name: { rollup: rollups.linkBrowsers, labels: labelsOf('browser_name') },
};

export const linkDimensions: readonly QueryType[] = [
  valuesByDay('link_referrers_by_day', 'Time series count of unique referrers; direct clicks have none', 'referrer'),
  valuesByDay('link_countries_by_day', 'Time series count of unique countries; unknown ones are left out', 'country'),
  clicksByValue('link_top_referrers', 'Top traffic sources', 'referrer'),
  clicksByValue('link_top_countries', 'Top countries by clicks', 'country'),
  clicksByValue('link_top_regions', 'Top regions by clicks', 'region'),
  clicksByValue('link_top_cities', 'Top cities by clicks', 'city'),
  clicksByValue('link_top_devices', 'Device type breakdown (mobile, desktop, tablet)', 'device_type'),
  clicksByValue('link_top_browsers', 'Browser breakdown', 'browser_name'),
];

/** Counts how many different known values there were in each bucket. */
function valuesByDay(name: string, description: string, column: LinkFilterName): QueryType {
  return queryType({
    ...LINKS,
    name,
    shape: 'series',
    description,
    fields: { date: textField, value: count },
    sources: {
      fifteenMinutes(context) {
        const values = { columns: sql`value`, also: sql` and value <> ''` };
        return sql`
select bucket, count(*)::float8 as value
from (
  select distinct bucket, value from ${inBlocks(context, LINK_DIMENSIONS[column].rollup, stretchesOf(context), values)}
) each_value
group by 1`;
      },
      facts: (context) => sql`
select ${bucketNumberSql(context, sql`at`)} as bucket, count(distinct ${identifier(column)})::float8 as value
from ${clicksIn(context, spanOf(context))} and ${identifier(column)} <> ''
group by 1`,
    },
  });
}

function clicksByValue(name: string, description: string, column: LinkFilterName): QueryType {
  const { rollup, labels } = LINK_DIMENSIONS[column];
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
