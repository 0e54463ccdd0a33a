import { linkCountries } from '@ledgerline/contracts/read-models/links';
import { distinctByDay } from './distinct-by-day';

export const linkCountriesByDay = distinctByDay({
  name: 'link_countries_by_day',
  meaning: 'Time series count of unique countries; unknown ones are left out',
  reads: linkCountries,
  column: 'country',
});
