import { linkCities } from '@ledgerline/contracts/read-models/links';
import { LINK_PLACE } from './labels';
import { linkDimension } from './link-dimension';

export const linkTopCities = linkDimension({
  name: 'link_top_cities',
  meaning: 'Top cities by clicks',
  reads: linkCities,
  column: 'city',
  labels: LINK_PLACE,
});
