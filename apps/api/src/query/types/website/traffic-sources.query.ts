import { topReferrers } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';
import { REFERRER } from './referrer';

export const trafficSources = dimension({
  name: 'traffic_sources',
  category: 'Traffic',
  meaning: 'Traffic source breakdown, with direct visits as Direct',
  reads: topReferrers,
  by: byAttribute('referrer'),
  labels: REFERRER,
});
