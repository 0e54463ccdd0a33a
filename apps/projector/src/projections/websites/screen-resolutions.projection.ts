import { screenResolutions } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const screenResolutionsProjection = byAttribute(screenResolutions, 'screen');
