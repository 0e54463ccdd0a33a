import type {
  CustomEventTracked,
  EngagementMeasured,
  ErrorRecorded,
  OutgoingLinkClicked,
  PageViewed,
  VitalMeasured,
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
  errors: { event: ErrorRecorded; session: NaiveSession | undefined }[];
  vitals: { event: VitalMeasured; session: NaiveSession | undefined }[];
  spans: { event: EngagementMeasured; session: NaiveSession | undefined }[];
  /** Counted sessions whose first page view is in range and that pass every filter. */
  sessions: NaiveSession[];
}

const PAGE_FIELDS = ['path', 'query_string'];
/** Of vitals alone. */
const METRIC_FIELD = 'metric_name';
const HITS = ['PageViewed', 'CustomEventTracked', 'OutgoingLinkClicked'];
const IGNORES_CASE = ['device_type', 'browser_name', 'os_name', 'country'];

export function select(events: readonly WebsiteObservedEvent[], request: NaiveRequest): Selection {
  const everySession = naiveSessions(events);
  const sessionOf = new Map<WebsiteObservedEvent, NaiveSession>();
  for (const session of everySession) for (const event of session.events) sessionOf.set(event, session);

  const selection: Selection = {
    views: [],
    custom: [],
    outgoing: [],
    errors: [],
    vitals: [],
    spans: [],
    sessions: [],
  };
  for (const event of events) {
    const session = sessionOf.get(event);
    if (session && isSuperseded(event, session.events)) continue;
    if (!inRange(event.at, request) || !visitPasses(session, request) || !pagePasses(event, request)) continue;
    if (event.type === 'PageViewed') selection.views.push({ event, session });
    if (event.type === 'CustomEventTracked') selection.custom.push({ event, session });
    if (event.type === 'OutgoingLinkClicked') selection.outgoing.push({ event, session });
    if (event.type === 'ErrorRecorded') selection.errors.push({ event, session });
    if (event.type === 'VitalMeasured' && metricPasses(event, request)) selection.vitals.push({ event, session });
    if (event.type === 'EngagementMeasured') selection.spans.push({ event, session });
  }
  for (const session of everySession) {
    if (!session.first || !inRange(session.first.at, request) || !visitPasses(session, request)) continue;
    if (session.views.some((view) => hitPasses(view, request))) selection.sessions.push(session);
  }
  return selection;
}

/** A vital or a span of which the same session has a later revision: the report is the first 96 of the 128 bits of the id. */
function isSuperseded(event: WebsiteObservedEvent, others: readonly WebsiteObservedEvent[]): boolean {
  if (event.type !== 'VitalMeasured' && event.type !== 'EngagementMeasured') return false;
  for (const other of others) {
    if (other.type !== event.type || bitsOf(other.id) >> 32n !== bitsOf(event.id) >> 32n) continue;
    if (bitsOf(other.id) > bitsOf(event.id) || (other.id === event.id && other.at > event.at)) return true;
  }
  return false;
}

function bitsOf(id: string): bigint {
  let bits = 0n;
  for (const digit of id) bits = bits * 32n + BigInt('0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit));
  return bits;
}

/** Filters on attributes keep or drop whole sessions; what is in none goes. */
export function visitPasses(session: NaiveSession | undefined, { filters }: NaiveRequest): boolean {
  const idsOf: Record<string, string | null> = {
    session_id: session?.id ?? null,
    visitor_id: session?.visitor ?? null,
  };
  for (const { field, value } of filters) if (field in idsOf && !value.includes(idsOf[field] ?? 'none')) return false;
  const ofVisits = filters.filter(({ field }) => ![...PAGE_FIELDS, METRIC_FIELD].includes(field) && !(field in idsOf));
  if (ofVisits.length === 0) return true;
  return session?.first !== undefined && ofVisits.every((filter) => visitPassesOne(session, filter));
}

/** Who is there now is told by page views, custom events and outgoing links of the page; all other events go. */
export const hitPasses = (event: WebsiteObservedEvent, request: NaiveRequest): boolean =>
  request.filters.every(({ field }) => !PAGE_FIELDS.includes(field)) ||
  (HITS.includes(event.type) && pagePasses(event, request));

/** Filters on pages keep events by their own path; only page views have a query string. */
export function pagePasses(event: WebsiteObservedEvent, { filters }: NaiveRequest): boolean {
  const ofPages = filters.filter(({ field }) => PAGE_FIELDS.includes(field));
  const { path } = event.data;
  const query = event.type === 'PageViewed' ? event.data.query : null;
  return ofPages.every((filter) => {
    const value = typeof filter.value === 'string' ? encoded(filter.value) : filter.value.map(encoded);
    return passes({ ...filter, value }, [(filter.field === 'path' ? path : query) ?? ''], false);
  });
}

/** As a browser writes it into an address. */
const encoded = (typed: string) => encodeURI(decodeURI(typed));

const metricPasses = ({ data }: VitalMeasured, { filters }: NaiveRequest): boolean =>
  filters.every((filter) => filter.field !== METRIC_FIELD || passes(filter, [data.metric], false));

function visitPassesOne(session: NaiveSession, filter: NaiveFilter): boolean {
  const value = attributeOf(session.first!, filter.field);
  return passes(filter, spellingsOf(value, filter), IGNORES_CASE.includes(filter.field));
}
