import type { Rollup } from '../rollup';
import { browserVersionsProjection } from './browser-versions.projection';
import { browsersProjection } from './browsers.projection';
import { citiesProjection } from './cities.projection';
import { countriesProjection } from './countries.projection';
import { customEventSessionsProjection } from './custom-event-sessions.projection';
import { customEventUsersProjection } from './custom-event-users.projection';
import { customEventsDailyProjection } from './custom-events-daily.projection';
import { deviceTypesProjection } from './device-types.projection';
import { entryPagesProjection } from './entry-pages.projection';
import { exitPagesProjection } from './exit-pages.projection';
import { languagesProjection } from './languages.projection';
import { operatingSystemsProjection } from './operating-systems.projection';
import { outboundDomainUsersProjection } from './outbound-domain-users.projection';
import { outboundLinkSessionsProjection } from './outbound-link-sessions.projection';
import { outboundLinkUsersProjection } from './outbound-link-users.projection';
import { outboundLinksDailyProjection } from './outbound-links-daily.projection';
import { regionsProjection } from './regions.projection';
import { screenResolutionsProjection } from './screen-resolutions.projection';
import { sessionDurationRangesProjection } from './session-duration-ranges.projection';
import { sessionDurationsProjection } from './session-durations.projection';
import { timezonesProjection } from './timezones.projection';
import { topPagesProjection } from './top-pages.projection';
import { topReferrersProjection } from './top-referrers.projection';
import { utmCampaignsProjection } from './utm-campaigns.projection';
import { utmContentsProjection } from './utm-contents.projection';
import { utmMediumsProjection } from './utm-mediums.projection';
import { utmSourcesProjection } from './utm-sources.projection';
import { utmTermsProjection } from './utm-terms.projection';
import { websiteDailyProjection } from './website-daily.projection';
import { websiteHourlyProjection } from './website-hourly.projection';
import { websiteVisitorsProjection } from './website-visitors.projection';

/** Everything that is added up from the sessions of a website's visitors. */
export const ROLLUPS: readonly Rollup[] = [
  websiteDailyProjection,
  websiteHourlyProjection,
  websiteVisitorsProjection,
  sessionDurationsProjection,
  sessionDurationRangesProjection,
  topPagesProjection,
  entryPagesProjection,
  exitPagesProjection,
  topReferrersProjection,
  utmSourcesProjection,
  utmMediumsProjection,
  utmCampaignsProjection,
  utmTermsProjection,
  utmContentsProjection,
  countriesProjection,
  regionsProjection,
  citiesProjection,
  languagesProjection,
  timezonesProjection,
  deviceTypesProjection,
  browsersProjection,
  browserVersionsProjection,
  operatingSystemsProjection,
  screenResolutionsProjection,
  customEventsDailyProjection,
  customEventUsersProjection,
  customEventSessionsProjection,
  outboundLinksDailyProjection,
  outboundLinkUsersProjection,
  outboundLinkSessionsProjection,
  outboundDomainUsersProjection,
];
