import type { QueryType } from '../declaration/query-type';
import * as links from './link/link-clicks.query-type';
import * as monitors from './monitor/uptime.query-type';
import { annotations } from './website/annotations.query-type';
import * as customEvents from './website/custom-events.query-type';
import { websiteDimensions } from './website/dimensions.query-type';
import * as engagement from './website/engagement.query-type';
import * as errors from './website/errors.query-type';
import * as funnels from './website/funnels.query-type';
import * as goals from './website/goals.query-type';
import { journeys } from './website/journeys.query-type';
import { linkConversions } from './website/link-conversions.query-type';
import * as outbound from './website/outbound.query-type';
import * as profiles from './website/profiles.query-type';
import * as realtime from './website/realtime.query-type';
import { retention } from './website/retention.query-type';
import { sessionEventsQuery } from './website/session-events.query-type';
import * as sessions from './website/sessions.query-type';
import * as totals from './website/totals.query-type';
import * as vitals from './website/vitals.query-type';

/** Every query type. The API's description, its documentation and the tests all come from this list. */
export const CATALOGUE: readonly QueryType[] = [
  totals.summaryMetrics,
  totals.todayMetrics,
  realtime.activeStats,
  totals.eventsByDate,
  ...websiteDimensions,
  totals.sessionMetrics,
  sessions.sessionList,
  totals.sessionsTimeSeries,
  sessions.sessionsByDevice,
  sessions.sessionsByBrowser,
  sessions.sessionDurationDistribution,
  sessions.sessionFlow,
  sessionEventsQuery,
  profiles.profileList,
  profiles.profileDetail,
  sessions.profileSessions,
  customEvents.customEventsQuery,
  customEvents.customEventsTrends,
  customEvents.customEventsByPath,
  customEvents.customEventProperties,
  customEvents.customEventsRecent,
  outbound.outboundLinksQuery,
  outbound.outboundDomains,
  outbound.downloads,
  ...realtime.realtimeDimensions,
  realtime.realtimeFeed,
  realtime.realtimeSessions,
  realtime.realtimeVelocity,
  errors.recentErrors,
  errors.errorSummary,
  errors.errorTypes,
  errors.errorsByPage,
  errors.errorTrends,
  vitals.vitalsOverview,
  vitals.vitalsByPage,
  vitals.vitalsTimeSeries,
  engagement.pageTimeAnalysis,
  engagement.scrollDepthSummary,
  engagement.scrollDepthDistribution,
  engagement.pageScrollPerformance,
  engagement.interactionSummary,
  engagement.frustrationByPage,
  engagement.formAbandonmentByPage,
  engagement.engagementQualityByPage,
  goals.goals,
  goals.goalsByDay,
  goals.goalBy,
  goals.revenue,
  linkConversions,
  funnels.funnelQuery,
  funnels.funnelByDay,
  funnels.funnelVisitors,
  retention,
  journeys,
  annotations,
  links.linkTotalClicks,
  links.linkUniqueClicks,
  links.linkLastClick,
  links.linkClicksByDay,
  ...links.linkDimensions,
  monitors.uptimeSummary,
  monitors.uptimeByDay,
  monitors.responseTimes,
];

const byName: ReadonlyMap<string, QueryType> = new Map(CATALOGUE.map((type) => [type.name, type]));

export const queryTypeNamed = (name: string): QueryType | undefined => byName.get(name);
