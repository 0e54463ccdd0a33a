import { utmSources } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const utmSourcesQuery = dimension({
  name: 'utm_sources',
  category: 'Campaigns',
  meaning: 'Visits by utm_source',
  reads: utmSources,
  by: byAttribute('utm_source'),
  withMissing: false,
});
