import { linkCountries } from '@ledgerline/contracts/read-models/links';
import { COUNTRY } from '../website/place';
import { linkDimension } from './link-dimension';

export const linkTopCountries = linkDimension({
  name: 'link_top_countries',
  meaning: 'Top countries by clicks',
  reads: linkCountries,
  column: 'country',
  labels: COUNTRY,
});
