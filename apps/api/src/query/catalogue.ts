import { linkClicksByDay } from './links/link-clicks-by-day.query';
import { linkCountriesByDay } from './links/link-countries-by-day.query';
import { linkReferrersByDay } from './links/link-referrers-by-day.query';
import { linkTopBrowsers } from './links/link-top-browsers.query';
import { linkTopCities } from './links/link-top-cities.query';
import { linkTopCountries } from './links/link-top-countries.query';
import { linkTopDevices } from './links/link-top-devices.query';
import { linkTopReferrers } from './links/link-top-referrers.query';
import { linkTopRegions } from './links/link-top-regions.query';
import { linkTotalClicks } from './links/link-total-clicks.query';
import { linkUniqueClicks } from './links/link-unique-clicks.query';
import { activeStats } from './websites/active-stats.query';
import { browserName } from './websites/browser-name.query';
import { browserVersionsQuery } from './websites/browser-versions.query';
import { city } from './websites/city.query';
import { country } from './websites/country.query';
import { customEventsQuery } from './websites/custom-events.query';
import { deviceTypesQuery } from './websites/device-types.query';
import { entryPagesQuery } from './websites/entry-pages.query';
import { eventsByDate } from './websites/events-by-date.query';
import { exitPagesQuery } from './websites/exit-pages.query';
import { language } from './websites/language.query';
import { osName } from './websites/os-name.query';
import { outboundDomains } from './websites/outbound-domains.query';
import { outboundLinksQuery } from './websites/outbound-links.query';
import { pagePerformance } from './websites/page-performance.query';
import { region } from './websites/region.query';
import { screenResolutionsQuery } from './websites/screen-resolutions.query';
import { sessionDurationDistribution } from './websites/session-duration-distribution.query';
import { sessionList } from './websites/session-list.query';
import { sessionMetrics } from './websites/session-metrics.query';
import { sessionsByBrowser } from './websites/sessions-by-browser.query';
import { sessionsByDevice } from './websites/sessions-by-device.query';
import { sessionsTimeSeries } from './websites/sessions-time-series.query';
import { summaryMetrics } from './websites/summary-metrics.query';
import { timezone } from './websites/timezone.query';
import { todayMetrics } from './websites/today-metrics.query';
import { topPagesQuery } from './websites/top-pages.query';
import { topReferrersQuery } from './websites/top-referrers.query';
import { trafficSources } from './websites/traffic-sources.query';
import { utmCampaignsQuery } from './websites/utm-campaigns.query';
import { utmContentQuery } from './websites/utm-content.query';
import { utmMediumsQuery } from './websites/utm-mediums.query';
import { utmSourcesQuery } from './websites/utm-sources.query';
import { utmTermsQuery } from './websites/utm-terms.query';
import type { QueryType } from './query-type';

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
