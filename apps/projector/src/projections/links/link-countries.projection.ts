import { linkCountries } from '@ledgerline/contracts/read-models/links';
import { byProperty } from './click';

export const linkCountriesProjection = byProperty(linkCountries, ({ country }) => country);
