import { utmContents } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const utmContentQuery = dimension({
  name: 'utm_content',
  category: 'Campaigns',
  meaning: 'Visits by utm_content',
  reads: utmContents,
  by: byAttribute('utm_content'),
  publicAccess: false,
  withMissing: false,
});
