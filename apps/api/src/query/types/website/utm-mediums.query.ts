import { utmMediums } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const utmMediumsQuery = dimension({
  name: 'utm_mediums',
  category: 'Campaigns',
  meaning: 'Visits by utm_medium',
  reads: utmMediums,
  by: byAttribute('utm_medium'),
  withMissing: false,
});
