import * as models from './website-dimensions';

/** The dimension of each attribute of a session, which its first page view gives to all of its page views. */
export const attributeDimensions = {
  referrer: models.topReferrers,
  utm_source: models.utmSources,
  utm_medium: models.utmMediums,
  utm_campaign: models.utmCampaigns,
  utm_term: models.utmTerms,
  utm_content: models.utmContents,
  country: models.countries,
  region: models.regions,
  city: models.cities,
  language: models.languages,
  timezone: models.timezones,
  device_type: models.deviceTypes,
  browser_name: models.browsers,
  browser_version: models.browserVersions,
  os_name: models.operatingSystems,
  screen: models.screenResolutions,
};
