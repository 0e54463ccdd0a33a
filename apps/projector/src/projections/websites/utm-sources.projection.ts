import { utmSources } from '@ledgerline/contracts/read-models/website-dimensions';
import { byKnownAttribute } from './dimension';

export const utmSourcesProjection = byKnownAttribute(utmSources, 'utm_source');
