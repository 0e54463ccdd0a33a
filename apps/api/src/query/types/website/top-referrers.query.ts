import { topReferrers } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';
import { REFERRER } from './referrer';

export const topReferrersQuery = dimension({
  name: 'top_referrers',
  category: 'Traffic',
  meaning: 'Top referrers, direct visits left out',
  reads: topReferrers,
  by: byAttribute('referrer'),
  withMissing: false,
  labels: REFERRER,
});
