import { linkRegions } from '@ledgerline/contracts/read-models/links';
import { byProperty, within } from './click';

export const linkRegionsProjection = byProperty(linkRegions, ({ country, region }) => within(country, region));
