import * as rollups from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { spanOf, stretchesOf } from '@ledgerline/domain/query/series-stretches';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, text, textIn } from '../../fields';
import { byCounts, queryType, type QueryContext, type QueryType } from '../../query-type';
import { topNWithTies, TOTAL_ROWS } from '../../sql/rollups';
import { inBlocks } from '../../sql/in-blocks';
import { clicksIn } from '../../sql/link-clicks';
import { bucketOf } from '../../sql/series';
import { COUNTRY, NAME, only, PLACE, REFERRER, type Labels } from '../../labels';

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
    name,
    about: 'link',
    shape: 'series',
    category: 'Links',
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
  const named = (context: QueryContext, grouped: Sql) =>
    sql`
select value as text, clicks::float8 as clicks, total_rows::float8 as total_rows
from (select *, ${TOTAL_ROWS} from (${grouped}) grouped${topNWithTies(['clicks'], context)}) ranked`;
  return queryType({
    name,
    about: 'link',
    shape: 'list',
    category: 'Links',
    description,
    fields: { ...labels.fields, clicks: count },
    order: byCounts(['clicks'], ...Object.keys(labels.fields)),
    sources: {
      fifteenMinutes: (context) =>
        named(
          context,
          sql`
  select value, sum(clicks) as clicks
  from ${inBlocks(context, rollup, [context], { columns: sql`value, clicks` })}
  group by value`,
        ),
      facts: (context) =>
        named(
          context,
          sql`
  select ${identifier(column)} as value, count(*) as clicks
  from ${clicksIn(context, context)}
  group by 1`,
        ),
    },
    row: (found) => labels.of(textIn(found, 'text')),
  });
}

export const linkDimensions: readonly QueryType[] = [...DISTINCT.map(distinct), ...TOP.map(top)];
