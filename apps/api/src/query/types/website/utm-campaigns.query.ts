import { utmCampaigns } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const utmCampaignsQuery = dimension({
  name: 'utm_campaigns',
  category: 'Campaigns',
  meaning: 'Visits by utm_campaign',
  reads: utmCampaigns,
  by: byAttribute('utm_campaign'),
  withMissing: false,
});
