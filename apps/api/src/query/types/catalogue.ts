import type { QueryType } from '../query-type';
import { linkClicksByDay } from './link/link-clicks-by-day.query-type';
import { linkDimensions } from './link/link-dimensions.query-type';
import { linkTotalClicks } from './link/link-total-clicks.query-type';
import { linkUniqueClicks } from './link/link-unique-clicks.query-type';
import { responseTimes, uptimeByDay, uptimeSummary } from './monitor/uptime.query-type';
import { activeStats } from './website/active-stats.query-type';
import { customEventProperties, customEventsByPath, customEventsTrends } from './website/custom-events-by.query-type';
import { customEventsRecent } from './website/custom-events-recent.query-type';
import { customEventsQuery } from './website/custom-events.query-type';
import { websiteDimensions } from './website/dimensions.query-type';
import { engagementQualityByPage } from './website/engagement-quality-by-page.query-type';
import { errorSummary } from './website/error-summary.query-type';
import { errorsByPage, errorTrends, errorTypes } from './website/errors-by.query-type';
import { formAbandonmentByPage } from './website/form-abandonment-by-page.query-type';
import { frustrationByPage } from './website/frustration-by-page.query-type';
import { interactionSummary } from './website/interaction-summary.query-type';
import { outboundDomains } from './website/outbound-domains.query-type';
import { outboundLinksQuery } from './website/outbound-links.query-type';
import { pageTimeAnalysis } from './website/page-time-analysis.query-type';
import { profileDetail, profileList } from './website/profiles.query-type';
import { realtimeDimensions } from './website/realtime-dimensions.query-type';
import { realtimeFeed } from './website/realtime-feed.query-type';
import { realtimeVelocity } from './website/realtime-velocity.query-type';
import { recentErrors } from './website/recent-errors.query-type';
import { pageScrollPerformance, scrollDepthDistribution, scrollDepthSummary } from './website/scroll-depth.query-type';
import { sessionDurationDistribution } from './website/session-duration-distribution.query-type';
import { sessionEventsQuery } from './website/session-events.query-type';
import { sessionFlow } from './website/session-flow.query-type';
import { profileSessions, sessionList } from './website/session-list.query-type';
import { eventsByDate, sessionMetrics, sessionsTimeSeries } from './website/session-series.query-type';
import { sessionsByBrowser, sessionsByDevice } from './website/sessions-by.query-type';
import { summaryMetrics } from './website/summary-metrics.query-type';
import { todayMetrics } from './website/today-metrics.query-type';
import { vitalsByPage, vitalsOverview, vitalsTimeSeries } from './website/vitals.query-type';

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
  uptimeSummary,
  uptimeByDay,
  responseTimes,
];

const byName: ReadonlyMap<string, QueryType> = new Map(CATALOGUE.map((type) => [type.name, type]));

export const queryTypeNamed = (name: string): QueryType | undefined => byName.get(name);
