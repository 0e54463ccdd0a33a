import type {
  EngagementMeasured,
  PageLeft,
  PageViewed,
  WebsiteObservedEvent,
} from '@ledgerline/contracts/events/observed-events';
import { inRange, type NaiveRequest } from './naive-request';
import { pagePasses, visitPasses } from './naive-selection';
import { inOrder, naiveSessions, type NaiveSession } from './naive-sessions';

/** One stay of a session on a page, as far as leaves and engagement spans report it. */
export interface NaiveVisit {
  path: string;
  session: NaiveSession;
  visitor: string | null;
  view: PageViewed | undefined;
  reports: (PageLeft | EngagementMeasured)[];
}

/** The visits of pages that something is reported of, which happened in range and pass every filter. */
export function naivePageVisits(events: readonly WebsiteObservedEvent[], request: NaiveRequest): NaiveVisit[] {
  const sessions = naiveSessions(events);
  const visits = sessions.flatMap((session) => visitsIn(session.events, session));
  return visits.filter((visit) => {
    const start = visit.view ?? [...visit.reports].sort(inOrder)[0]!;
    return (
      inRange(start.at, request) && visitPasses(visit.session, request) && pagePasses(start, request, visit.session)
    );
  });
}

function visitsIn(events: readonly WebsiteObservedEvent[], session: NaiveSession): NaiveVisit[] {
  const visits: NaiveVisit[] = [];
  for (const event of [...events].sort(inOrder)) {
    if (event.type !== 'PageViewed' && event.type !== 'PageLeft' && event.type !== 'EngagementMeasured') continue;
    const { path, visitorId: visitor } = event.data;
    const open = visits.findLast((visit) => visit.path === path);
    if (event.type === 'PageViewed') visits.push({ path, session, visitor, view: event, reports: [] });
    else if (open) open.reports.push(event);
    else visits.push({ path, session, visitor, view: undefined, reports: [event] });
  }
  return visits.filter(({ reports }) => reports.length > 0);
}

const greatest = (values: (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
};

/** Whole milliseconds. */
export const timeOf = ({ reports }: NaiveVisit): number | null =>
  greatest(reports.map(({ data }) => (data.timeOnPage === null ? null : Math.round(data.timeOnPage * 1000))));

/** Hundredths of a percent. */
export const scrollOf = ({ reports }: NaiveVisit): number | null =>
  greatest(
    reports.map((report) => {
      const depth = report.type === 'PageLeft' ? report.data.scrollDepth : numberIn(report, 'maxScrollDepth');
      return depth === null ? null : Math.round(depth * 100);
    }),
  );

export const interactionsOf = ({ reports }: NaiveVisit): number | null =>
  greatest(
    reports.map((report) => {
      if (report.type === 'PageLeft') return report.data.interactions;
      const each = ['clickCount', 'keyCount', 'scrollCount'].map((name) => numberIn(report, name));
      const known = each.filter((value) => value !== null);
      const sum = known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
      return numberIn(report, 'interactionCount') ?? sum;
    }),
  );

export function numberIn({ data: { span } }: EngagementMeasured, name: string): number | null {
  const value = span[name];
  return typeof value === 'number' ? value : null;
}
