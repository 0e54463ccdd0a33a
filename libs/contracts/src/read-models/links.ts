import { key, last, readModel, sum } from './read-model';

/** One row per link and quarter of an hour (UTC) in which it was clicked; quarters add up to days of any zone. */
export const linkClicksQuarterly = readModel('link_clicks_quarterly', {
  link_id: key('text'),
  quarter: key('timestamptz'),
  clicks: sum(),
});

const linkDimension = (name: string) =>
  readModel(name, { link_id: key('text'), quarter: key('timestamptz'), value: key('text'), clicks: sum() });

export type LinkDimension = ReturnType<typeof linkDimension>;

/** By canonical referrer domain; '' = direct. */
export const linkReferrers = linkDimension('link_referrers');
/** By ISO code; '' = unknown. */
export const linkCountries = linkDimension('link_countries');
/** By country␟region and country␟city; '' = unknown. */
export const linkRegions = linkDimension('link_regions');
export const linkCities = linkDimension('link_cities');
export const linkDevices = linkDimension('link_devices');
export const linkBrowsers = linkDimension('link_browsers');

/** Facts: one row per click. '' = unknown (referrer: direct). */
export const linkClicks = readModel(
  'link_clicks',
  {
    link_id: key('text'),
    id: key('uuid'),
    at: last('timestamptz'),
    visitor: last('uuid?'),
    referrer: last('text'),
    country: last('text'),
    region: last('text'),
    city: last('text'),
    device_type: last('text'),
    browser_name: last('text'),
  },
  [{ on: ['link_id', 'at'] }],
);
