import { linkCities } from '@ledgerline/contracts/read-models/links';
import { byProperty, within } from './click';

export const linkCitiesProjection = byProperty(linkCities, ({ country, city }) => within(country, city));
