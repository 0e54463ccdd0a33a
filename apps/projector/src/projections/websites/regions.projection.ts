import { regions } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const regionsProjection = byAttribute(regions, 'region');
