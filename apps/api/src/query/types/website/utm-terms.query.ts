import { utmTerms } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const utmTermsQuery = dimension({
  name: 'utm_terms',
  category: 'Campaigns',
  meaning: 'Visits by utm_term',
  reads: utmTerms,
  by: byAttribute('utm_term'),
  publicAccess: false,
  withMissing: false,
});
