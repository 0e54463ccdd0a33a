import type { QueryType } from '../query-type';
import { linkClicksByDay } from './link/link-clicks-by-day.query';
import { linkDimensions } from './link/link-dimensions.query';
import { linkTotalClicks } from './link/link-total-clicks.query';
import { linkUniqueClicks } from './link/link-unique-clicks.query';
import { activeStats } from './website/active-stats.query';
import { customEventProperties, customEventsByPath, customEventsTrends } from './website/custom-events-by.query';
import { customEventsRecent } from './website/custom-events-recent.query';
import { customEventsQuery } from './website/custom-events.query';
import { websiteDimensions } from './website/dimensions.query';
import { engagementQualityByPage } from './website/engagement-quality-by-page.query';
import { errorSummary } from './website/error-summary.query';
import { errorsByPage, errorTrends, errorTypes } from './website/errors-by.query';
import { formAbandonmentByPage } from './website/form-abandonment-by-page.query';
import { frustrationByPage } from './website/frustration-by-page.query';
import { interactionSummary } from './website/interaction-summary.query';
import { outboundDomains } from './website/outbound-domains.query';
import { outboundLinksQuery } from './website/outbound-links.query';
import { pageTimeAnalysis } from './website/page-time-analysis.query';
import { profileDetail, profileList } from './website/profiles.query';
import { realtimeDimensions } from './website/realtime-dimensions.query';
import { realtimeFeed } from './website/realtime-feed.query';
import { realtimeVelocity } from './website/realtime-velocity.query';
import { recentErrors } from './website/recent-errors.query';
import { pageScrollPerformance, scrollDepthDistribution, scrollDepthSummary } from './website/scroll-depth.query';
import { sessionDurationDistribution } from './website/session-duration-distribution.query';
import { sessionEventsQuery } from './website/session-events.query';
import { sessionFlow } from './website/session-flow.query';
import { profileSessions, sessionList } from './website/session-list.query';
import { eventsByDate, sessionMetrics, sessionsTimeSeries } from './website/session-series.query';
import { sessionsByBrowser, sessionsByDevice } from './website/sessions-by.query';
import { summaryMetrics } from './website/summary-metrics.query';
import { todayMetrics } from './website/today-metrics.query';
import { vitalsByPage, vitalsOverview, vitalsTimeSeries } from './website/vitals.query';

/** Every query type. The API's description, its documentation and the tests all come from this list. */
export const CATALOGUE: readonly QueryType[] = [
  summaryMetrics,
  todayMetrics,
  activeStats,
  eventsByDate,
  ...websiteDimensions,
  sessionMetrics,
  sessionList,
  sessionsTimeSeries,
  sessionsByDevice,
  sessionsByBrowser,
  sessionDurationDistribution,
  sessionFlow,
  sessionEventsQuery,
  profileList,
  profileDetail,
  profileSessions,
  customEventsQuery,
  customEventsTrends,
  customEventsByPath,
  customEventProperties,
  customEventsRecent,
  outboundLinksQuery,
  outboundDomains,
  ...realtimeDimensions,
  realtimeFeed,
  realtimeVelocity,
  recentErrors,
  errorSummary,
  errorTypes,
  errorsByPage,
  errorTrends,
  vitalsOverview,
  vitalsByPage,
  vitalsTimeSeries,
  pageTimeAnalysis,
  scrollDepthSummary,
  scrollDepthDistribution,
  pageScrollPerformance,
  interactionSummary,
  frustrationByPage,
  formAbandonmentByPage,
  engagementQualityByPage,
  linkTotalClicks,
  linkUniqueClicks,
  linkClicksByDay,
  ...linkDimensions,
];

const byName: ReadonlyMap<string, QueryType> = new Map(CATALOGUE.map((type) => [type.name, type]));

export const queryTypeNamed = (name: string): QueryType | undefined => byName.get(name);
