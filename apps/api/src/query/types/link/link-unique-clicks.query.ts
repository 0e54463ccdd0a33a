import { linkClicks15min, linkReturns } from '@ledgerline/contracts/read-models/links';
import { sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { numberIn } from '../../found';
import { linkTotals } from '../../query-type';
import { instant } from '../../sql/facts';
import { clicksIn, inBlocks } from './clicks';
import { LINK_FILTERS } from './filters';

export const linkUniqueClicks = linkTotals({
  name: 'link_unique_clicks',
  category: 'Links',
  meaning: 'Total clicks and distinct daily visitors',
  publicAccess: false,
  allowedFilters: LINK_FILTERS,
  fields: { total: count, unique: count },
  answers: {
    fifteenMinutes(question) {
      const all = { columns: sql`clicks, visitors` };
      const again = { columns: sql`visitors`, also: sql` and previous_15min >= ${instant(question.from)}` };
      return sql`
select sum(clicks)::float8 as total, sum(visitors)::float8 as "unique"
from (
  select clicks, visitors from ${inBlocks(question, linkClicks15min, [question], all)}
  union all
  select 0, -visitors from ${inBlocks(question, linkReturns, [question], again)}
) each_block`;
    },
    facts: (question) => sql`
select count(*)::float8 as total, (count(distinct unit) filter (where unit <> id))::float8 as "unique"
from ${clicksIn(question, question.from, question.to)}`,
  },
  row: (found) => ({ total: numberIn(found, 'total'), unique: numberIn(found, 'unique') }),
});
