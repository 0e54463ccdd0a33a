import { countries } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const countriesProjection = byAttribute(countries, 'country');
