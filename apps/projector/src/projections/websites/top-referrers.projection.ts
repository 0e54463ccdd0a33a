import { topReferrers } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const topReferrersProjection = byAttribute(topReferrers, 'referrer');
