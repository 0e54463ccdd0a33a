import { linkClicks15min } from '@ledgerline/contracts/read-models/links';
import { sql } from '@ledgerline/platform/database/sql';
import { count, text } from '../../fields';
import { numberIn } from '../../found';
import { linkSeries } from '../../query-type';
import { bucketOf, spanOf } from '../../sql/series';
import { clicksIn, inBlocks } from './clicks';
import { LINK_FILTERS } from './filters';

export const linkClicksByDay = linkSeries({
  name: 'link_clicks_by_day',
  category: 'Links',
  meaning: 'Time series of clicks',
  publicAccess: false,
  allowedFilters: LINK_FILTERS,
  fields: { date: text, clicks: count },
  answers: {
    fifteenMinutes: (question) => sql`
select bucket, sum(clicks)::float8 as clicks
from ${inBlocks(question, linkClicks15min, question.buckets, { columns: sql`clicks` })}
group by 1`,
    facts(question) {
      const { from, to } = spanOf(question);
      return sql`
select ${bucketOf(question, sql`at`)} as bucket, count(*)::float8 as clicks
from ${clicksIn(question, from, to)}
group by 1`;
    },
  },
  row: (found) => ({ clicks: numberIn(found, 'clicks') }),
});
