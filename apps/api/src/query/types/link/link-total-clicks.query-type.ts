import { linkClicks15min } from '@ledgerline/contracts/read-models/links';
import { sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { queryType } from '../../query-type';
import { inBlocks } from '../../sql/in-blocks';
import { clicksIn } from '../../sql/link-clicks';

export const linkTotalClicks = queryType({
  name: 'link_total_clicks',
  about: 'link',
  shape: 'totals',
  category: 'Links',
  description: 'Total click count',
  fields: { total: count },
  sources: {
    fifteenMinutes: (context) => sql`
select sum(clicks)::float8 as total
from ${inBlocks(context, linkClicks15min, [context], { columns: sql`clicks` })}`,
    facts: (context) => sql`
select count(*)::float8 as total
from ${clicksIn(context, context)}`,
  },
});
