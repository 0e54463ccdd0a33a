import { key, max, readModel } from './read-model';

/** The latest day of each website, in its own zone, on which anything happened. `visitors` have a number in `sessions`. */
export const websiteDays = readModel('website_days', {
  website: key('integer'),
  latest_day: max('date'),
  visitors: max('integer'),
});
