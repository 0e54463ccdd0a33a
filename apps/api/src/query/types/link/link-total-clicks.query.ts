import { linkClicks15min } from '@ledgerline/contracts/read-models/links';
import { sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { numberIn } from '../../found';
import { linkTotals } from '../../query-type';
import { clicksIn, inBlocks } from './clicks';
import { LINK_FILTERS } from './filters';

export const linkTotalClicks = linkTotals({
  name: 'link_total_clicks',
  category: 'Links',
  meaning: 'Total click count',
  publicAccess: false,
  allowedFilters: LINK_FILTERS,
  fields: { total: count },
  answers: {
    fifteenMinutes: (question) => sql`
select sum(clicks)::float8 as total
from ${inBlocks(question, linkClicks15min, [question], { columns: sql`clicks` })}`,
    facts: (question) => sql`
select count(*)::float8 as total
from ${clicksIn(question, question.from, question.to)}`,
  },
  row: (found) => ({ total: numberIn(found, 'total') }),
});
