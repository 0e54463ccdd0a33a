import { browsers } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const browsersProjection = byAttribute(browsers, 'browser_name');
