import { browserVersions } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const browserVersionsProjection = byAttribute(browserVersions, 'browser_version');
