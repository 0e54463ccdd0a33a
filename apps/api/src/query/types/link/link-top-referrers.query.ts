import { linkReferrers } from '@ledgerline/contracts/read-models/links';
import { LINK_REFERRER } from './labels';
import { linkDimension } from './link-dimension';

export const linkTopReferrers = linkDimension({
  name: 'link_top_referrers',
  meaning: 'Top traffic sources',
  reads: linkReferrers,
  column: 'referrer',
  labels: LINK_REFERRER,
});
