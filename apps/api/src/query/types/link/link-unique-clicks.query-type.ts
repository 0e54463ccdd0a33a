import { linkClicks15min, linkReturns } from '@ledgerline/contracts/read-models/links';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { inBlocks } from '../../sql/in-blocks';
import { clicksIn } from '../../sql/link-clicks';
import { instant } from '../../sql/series';

export const linkUniqueClicks = queryType({
  name: 'link_unique_clicks',
  about: 'link',
  shape: 'totals',
  category: 'Links',
  description: 'Total clicks and distinct daily visitors',
  fields: { total: count, unique: count },
  sources: {
    fifteenMinutes: fromBlocks,
    facts: (context) => sql`
select count(*)::float8 as total, (count(distinct actor) filter (where actor <> id))::float8 as "unique"
from ${clicksIn(context, context)}`,
  },
});

/** All visitors of each block, without those of the range's earlier ones. */
function fromBlocks(context: QueryContext): Sql {
  const all = { columns: sql`clicks, visitors` };
  const again = { columns: sql`visitors`, also: sql` and previous_15min >= ${instant(context.from)}` };
  return sql`
select sum(clicks)::float8 as total, sum(visitors)::float8 as "unique"
from (
  select clicks, visitors from ${inBlocks(context, linkClicks15min, [context], all)}
  union all
  select 0, -visitors from ${inBlocks(context, linkReturns, [context], again)}
) each_block`;
}
