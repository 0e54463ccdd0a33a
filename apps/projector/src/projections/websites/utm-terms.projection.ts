import { utmTerms } from '@ledgerline/contracts/read-models/website-dimensions';
import { byKnownAttribute } from './dimension';

export const utmTermsProjection = byKnownAttribute(utmTerms, 'utm_term');
