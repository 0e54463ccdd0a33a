import type {
  CustomEventTracked,
  OutgoingLinkClicked,
  PageViewed,
  WebsiteObservedEvent,
} from '@ledgerline/contracts/events/observed-events';
import { attributeOf, spellingsOf } from './naive-attributes';
import { inRange, passes, type NaiveFilter, type NaiveRequest } from './naive-request';
import { naiveSessions, type NaiveSession } from './naive-sessions';

/** What a request leaves over of the traffic, with loops one can read. */
export interface Selection {
  /** Page views in range that pass every filter, each with its session (undefined: of nobody, in none). */
  views: { event: PageViewed; session: NaiveSession | undefined }[];
  custom: { event: CustomEventTracked; session: NaiveSession | undefined }[];
  outgoing: { event: OutgoingLinkClicked; session: NaiveSession | undefined }[];
  /** Counted sessions whose first page view is in range and that pass every filter. */
  sessions: NaiveSession[];
  /** All sessions of the traffic, for questions about now. */
  everySession: NaiveSession[];
}

const PAGE_FIELDS = ['path', 'query_string'];
const IGNORES_CASE = ['device_type', 'browser_name', 'os_name', 'country'];

export function select(events: readonly WebsiteObservedEvent[], request: NaiveRequest): Selection {
  const everySession = naiveSessions(events);
  const sessionOf = new Map<WebsiteObservedEvent, NaiveSession>();
  for (const session of everySession) for (const event of session.events) sessionOf.set(event, session);

  const visitFilters = request.filters.filter(({ field }) => !PAGE_FIELDS.includes(field));
  const pageFilters = request.filters.filter(({ field }) => PAGE_FIELDS.includes(field));
  const visitPasses = (session: NaiveSession | undefined) =>
    visitFilters.length === 0 ||
    (session?.first !== undefined && visitFilters.every((filter) => visitPassesOne(session, filter)));
  const viewPasses = (view: PageViewed) =>
    pageFilters.every((filter) =>
      passes(filter, [filter.field === 'path' ? view.data.path : (view.data.query ?? '')], false),
    );
  const actionPasses = (path: string | null) =>
    pageFilters.every((filter) => passes(filter, [filter.field === 'path' ? (path ?? '') : ''], false));

  const selection: Selection = { views: [], custom: [], outgoing: [], sessions: [], everySession };
  for (const event of events) {
    const session = sessionOf.get(event);
    if (!inRange(event.at, request) || !visitPasses(session)) continue;
    if (event.type === 'PageViewed' && viewPasses(event)) selection.views.push({ event, session });
    if (event.type === 'CustomEventTracked' && actionPasses(event.data.path)) selection.custom.push({ event, session });
    if (event.type === 'OutgoingLinkClicked' && actionPasses(event.data.path))
      selection.outgoing.push({ event, session });
  }
  for (const session of everySession) {
    if (!session.first || !inRange(session.first.at, request) || !visitPasses(session)) continue;
    if (session.views.some(viewPasses)) selection.sessions.push(session);
  }
  return selection;
}

function visitPassesOne(session: NaiveSession, filter: NaiveFilter): boolean {
  const value = attributeOf(session.first!, filter.field);
  return passes(filter, spellingsOf(value, filter), IGNORES_CASE.includes(filter.field));
}
