import { linkRegions } from '@ledgerline/contracts/read-models/links';
import { LINK_PLACE } from './labels';
import { linkDimension } from './link-dimension';

export const linkTopRegions = linkDimension({
  name: 'link_top_regions',
  meaning: 'Top regions by clicks',
  reads: linkRegions,
  column: 'region',
  labels: LINK_PLACE,
});
