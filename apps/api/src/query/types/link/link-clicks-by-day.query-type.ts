import { linkClicks15min } from '@ledgerline/contracts/read-models/links';
import { spanOf, stretchesOf } from '@ledgerline/domain/query/series-stretches';
import { sql } from '@ledgerline/platform/database/sql';
import { count, text } from '../../fields';
import { queryType } from '../../query-type';
import { inBlocks } from '../../sql/in-blocks';
import { clicksIn } from '../../sql/link-clicks';
import { bucketOf } from '../../sql/series';

export const linkClicksByDay = queryType({
  name: 'link_clicks_by_day',
  about: 'link',
  shape: 'series',
  category: 'Links',
  description: 'Time series of clicks',
  fields: { date: text, clicks: count },
  sources: {
    fifteenMinutes: (context) => sql`
select bucket, sum(clicks)::float8 as clicks
from ${inBlocks(context, linkClicks15min, stretchesOf(context), { columns: sql`clicks` })}
group by 1`,
    facts: (context) => sql`
select ${bucketOf(context, sql`at`)} as bucket, count(*)::float8 as clicks
from ${clicksIn(context, spanOf(context))}
group by 1`,
  },
});
