import { sql } from '@ledgerline/platform/database/sql';
import { count } from '../fields';
import { numberIn } from '../found';
import { linkTotals } from '../query-type';
import { clicksIn } from './clicks';
import { LINK_FILTERS } from './filters';

export const linkUniqueClicks = linkTotals({
  name: 'link_unique_clicks',
  category: 'Links',
  meaning: 'Total clicks and distinct daily visitors',
  publicAccess: false,
  allowedFilters: LINK_FILTERS,
  fields: { total: count, unique: count },
  answers: {
    facts: (question) => sql`
select count(*)::float8 as total, count(distinct visitor)::float8 as "unique"
from ${clicksIn(question, question.from, question.to)}`,
  },
  row: (found) => ({ total: numberIn(found, 'total'), unique: numberIn(found, 'unique') }),
});
