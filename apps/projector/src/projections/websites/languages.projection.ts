import { languages } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const languagesProjection = byAttribute(languages, 'language');
