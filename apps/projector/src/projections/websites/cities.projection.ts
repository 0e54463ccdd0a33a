import { cities } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const citiesProjection = byAttribute(cities, 'city');
