import { linkReferrers } from '@ledgerline/contracts/read-models/links';
import { distinctByDay } from './distinct-by-day';

export const linkReferrersByDay = distinctByDay({
  name: 'link_referrers_by_day',
  meaning: 'Time series count of unique referrers; direct clicks have none',
  reads: linkReferrers,
  column: 'referrer',
});
