import { timezones } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const timezonesProjection = byAttribute(timezones, 'timezone');
