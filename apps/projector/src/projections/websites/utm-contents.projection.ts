import { utmContents } from '@ledgerline/contracts/read-models/website-dimensions';
import { byKnownAttribute } from './dimension';

export const utmContentsProjection = byKnownAttribute(utmContents, 'utm_content');
