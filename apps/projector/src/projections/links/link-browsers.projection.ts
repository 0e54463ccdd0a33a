import { linkBrowsers } from '@ledgerline/contracts/read-models/links';
import { byProperty } from './click';

export const linkBrowsersProjection = byProperty(linkBrowsers, ({ browser }) => browser);
