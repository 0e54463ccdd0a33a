import { utmMediums } from '@ledgerline/contracts/read-models/website-dimensions';
import { byKnownAttribute } from './dimension';

export const utmMediumsProjection = byKnownAttribute(utmMediums, 'utm_medium');
