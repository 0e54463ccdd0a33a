import { linkClicksByDay } from './link/link-clicks-by-day.query';
import { linkCountriesByDay } from './link/link-countries-by-day.query';
import { linkReferrersByDay } from './link/link-referrers-by-day.query';
import { linkTopBrowsers } from './link/link-top-browsers.query';
import { linkTopCities } from './link/link-top-cities.query';
import { linkTopCountries } from './link/link-top-countries.query';
import { linkTopDevices } from './link/link-top-devices.query';
import { linkTopReferrers } from './link/link-top-referrers.query';
import { linkTopRegions } from './link/link-top-regions.query';
import { linkTotalClicks } from './link/link-total-clicks.query';
import { linkUniqueClicks } from './link/link-unique-clicks.query';
import { activeStats } from './website/active-stats.query';
import { browserName } from './website/browser-name.query';
import { browserVersionsQuery } from './website/browser-versions.query';
import { city } from './website/city.query';
import { country } from './website/country.query';
import { customEventsQuery } from './website/custom-events.query';
import { deviceTypesQuery } from './website/device-types.query';
import { entryPagesQuery } from './website/entry-pages.query';
import { eventsByDate } from './website/events-by-date.query';
import { exitPagesQuery } from './website/exit-pages.query';
import { language } from './website/language.query';
import { osName } from './website/os-name.query';
import { outboundDomains } from './website/outbound-domains.query';
import { outboundLinksQuery } from './website/outbound-links.query';
import { pagePerformance } from './website/page-performance.query';
import { region } from './website/region.query';
import { screenResolutionsQuery } from './website/screen-resolutions.query';
import { sessionDurationDistribution } from './website/session-duration-distribution.query';
import { sessionList } from './website/session-list.query';
import { sessionMetrics } from './website/session-metrics.query';
import { sessionsByBrowser } from './website/sessions-by-browser.query';
import { sessionsByDevice } from './website/sessions-by-device.query';
import { sessionsTimeSeries } from './website/sessions-time-series.query';
import { summaryMetrics } from './website/summary-metrics.query';
import { timezone } from './website/timezone.query';
import { todayMetrics } from './website/today-metrics.query';
import { topPagesQuery } from './website/top-pages.query';
import { topReferrersQuery } from './website/top-referrers.query';
import { trafficSources } from './website/traffic-sources.query';
import { utmCampaignsQuery } from './website/utm-campaigns.query';
import { utmContentQuery } from './website/utm-content.query';
import { utmMediumsQuery } from './website/utm-mediums.query';
import { utmSourcesQuery } from './website/utm-sources.query';
import { utmTermsQuery } from './website/utm-terms.query';
import type { QueryType } from '../query-type';

/** Every question that can be asked. Types, documentation and tests all come from this list. */
export const CATALOGUE = [
  summaryMetrics,
  todayMetrics,
  activeStats,
  eventsByDate,
  topPagesQuery,
  entryPagesQuery,
  exitPagesQuery,
  pagePerformance,
  topReferrersQuery,
  trafficSources,
  utmSourcesQuery,
  utmMediumsQuery,
  utmCampaignsQuery,
  utmTermsQuery,
  utmContentQuery,
  browserName,
  browserVersionsQuery,
  osName,
  deviceTypesQuery,
  screenResolutionsQuery,
  language,
  timezone,
  country,
  region,
  city,
  sessionMetrics,
  sessionList,
  sessionsTimeSeries,
  sessionsByDevice,
  sessionsByBrowser,
  sessionDurationDistribution,
  customEventsQuery,
  outboundLinksQuery,
  outboundDomains,
  linkTotalClicks,
  linkUniqueClicks,
  linkClicksByDay,
  linkReferrersByDay,
  linkCountriesByDay,
  linkTopReferrers,
  linkTopCountries,
  linkTopRegions,
  linkTopCities,
  linkTopDevices,
  linkTopBrowsers,
] as unknown as readonly QueryType[]; // a type is only ever asked what it is about

const byName: ReadonlyMap<string, QueryType> = new Map(CATALOGUE.map((type) => [type.name, type]));

export const queryTypeNamed = (name: string): QueryType | undefined => byName.get(name);
