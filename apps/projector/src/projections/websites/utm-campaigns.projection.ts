import { utmCampaigns } from '@ledgerline/contracts/read-models/website-dimensions';
import { byKnownAttribute } from './dimension';

export const utmCampaignsProjection = byKnownAttribute(utmCampaigns, 'utm_campaign');
