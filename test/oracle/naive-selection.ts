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
import {
  inRange,
  naiveAlternatives,
  passes,
  type NaiveFieldFilter,
  type NaiveFilter,
  type NaiveRequest,
} from './naive-request';
import { inOrder, naiveSessions, type NaiveSession } from './naive-sessions';

/** The part of the traffic that a request leaves over, with loops one can read. */
export interface Selection {
  /** Page views in range that pass every filter, each with its session (undefined: of nobody, in none). */
  views: { event: PageViewed; session: NaiveSession | undefined }[];
  custom: { event: CustomEventTracked; session: NaiveSession | undefined }[];
  outgoing: { event: OutgoingLinkClicked; session: NaiveSession | undefined }[];
  errors: { event: ErrorRecorded; session: NaiveSession | undefined }[];
  vitals: { event: VitalMeasured; session: NaiveSession | undefined }[];
  spans: { event: EngagementMeasured; session: NaiveSession | undefined }[];
  /** The clicks on short links ({@link withClicks}). */
  clicks: { event: WebsiteObservedEvent; session: NaiveSession | undefined }[];
  /** Counted sessions whose first page view is in range and that pass every filter. */
  sessions: NaiveSession[];
}

const PAGE_FIELDS = ['path', 'query_string', 'hostname'];
/** A field of vitals alone. */
const METRIC_FIELD = 'metric_name';
/** A field of outgoing links alone. */
const LINK_FIELD = 'link_kind';
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
    clicks: [],
    sessions: [],
  };
  for (const event of events) {
    const session = sessionOf.get(event);
    if (session && isSuperseded(event, session.events)) continue;
    if (!inRange(event.at, request) || !visitPasses(session, request) || !pagePasses(event, request, session)) continue;
    if (event.type === 'PageViewed') selection.views.push({ event, session });
    if (event.type === 'CustomEventTracked') selection.custom.push({ event, session });
    if (event.type === 'OutgoingLinkClicked') selection.outgoing.push({ event, session });
    if (event.type === 'ErrorRecorded') selection.errors.push({ event, session });
    if (event.type === 'VitalMeasured') selection.vitals.push({ event, session });
    if (event.type === 'EngagementMeasured') selection.spans.push({ event, session });
    if (isClick(event)) selection.clicks.push({ event, session });
  }
  for (const session of everySession) {
    if (!session.first || !inRange(session.first.at, request) || !visitPasses(session, request)) continue;
    if (session.views.some((view) => hitPasses(view, request, session))) selection.sessions.push(session);
  }
  return selection;
}

/** Returns whether an event is one of {@link withClicks}. */
export const isClick = ({ type }: { readonly type: string }): boolean => type === 'LinkVisited';

/**
 * With an event of its own for each click on a short link, directly before the first page view of its visitor that carries
 * it: of the same time, with an id that is a little less.
 */
export function withClicks(events: readonly WebsiteObservedEvent[]): readonly WebsiteObservedEvent[] {
  const known = new Set<string>();
  const clicks = [...events].sort(inOrder).flatMap((event) => {
    if (event.type !== 'PageViewed' || event.data.click === undefined) return [];
    const key = `${event.data.visitorId ?? event.data.sessionId ?? event.id} ${event.data.click.id}`;
    if (known.has(key)) return [];
    known.add(key);
    return [{ ...event, type: 'LinkVisited', id: event.id.slice(0, -1) } as unknown as WebsiteObservedEvent]; // of no log
  });
  return [...events, ...clicks];
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

const ID_FIELDS = ['session_id', 'visitor_id'];
const isOfHits = (filter: NaiveFilter) =>
  naiveAlternatives(filter).some(({ field }) => [...PAGE_FIELDS, METRIC_FIELD, LINK_FIELD].includes(field));
const isOfIds = (filter: NaiveFilter): filter is NaiveFieldFilter =>
  'field' in filter && ID_FIELDS.includes(filter.field);

/** Filters on attributes keep or drop whole sessions; what is in none goes. */
export function visitPasses(session: NaiveSession | undefined, { filters, isInSegment }: NaiveRequest): boolean {
  if (isInSegment && !isInSegment(session)) return false;
  for (const { field, value } of filters.filter(isOfIds)) {
    const id = field === 'session_id' ? session?.id : session?.visitor;
    if (!value.includes(id ?? 'none')) return false;
  }
  return filters
    .filter((filter) => !isOfHits(filter) && !isOfIds(filter))
    .every((filter) => naiveAlternatives(filter).some((each) => visitPassesOne(session, each)));
}

/**
 * Returns whether a hit passes: who is there now is told by page views, custom events and outgoing links of the page;
 * all other events go.
 */
export const hitPasses = (
  event: WebsiteObservedEvent,
  request: NaiveRequest,
  session: NaiveSession | undefined,
): boolean =>
  request.filters.every((filter) => !isOfHits(filter)) ||
  (HITS.includes(event.type) && pagePasses(event, request, session));

/** Filters on pages keep events by their own path and host; only page views have a query string, only vitals a metric, only outgoing links a kind. */
export const pagePasses = (
  event: WebsiteObservedEvent,
  { filters }: NaiveRequest,
  session: NaiveSession | undefined,
): boolean =>
  filters
    .filter(isOfHits)
    .every((filter) =>
      naiveAlternatives(filter).some((each) =>
        isOfHits(each) ? pagePassesOne(event, each) : visitPassesOne(session, each),
      ),
    );

function pagePassesOne(event: WebsiteObservedEvent, filter: NaiveFieldFilter): boolean {
  const { path, host } = event.data;
  const query = event.type === 'PageViewed' ? event.data.query : null;
  if (filter.field === METRIC_FIELD)
    return event.type !== 'VitalMeasured' || passes(filter, [event.data.metric], false);
  if (filter.field === LINK_FIELD)
    return event.type !== 'OutgoingLinkClicked' || passes(filter, [event.data.linkKind], false);
  const text = { path, query_string: query, hostname: host }[filter.field];
  return passes(asRecorded(filter), [text ?? ''], false);
}

/** With the values as they are recorded; those of random filters have few other forms. */
export function asRecorded(filter: NaiveFieldFilter): NaiveFieldFilter {
  const { field, op, value } = filter;
  const isWhole = ['eq', 'ne', 'in', 'not_in'].includes(op);
  const recorded = (typed: string): string => {
    if (['path', 'query_string', 'entry_page', 'exit_page'].includes(field)) {
      const encoded = encodeURI(decodeURI(typed));
      return isWhole || op === 'glob' ? encoded.replace(/(.)\/$/, '$1') : encoded;
    }
    if (field === 'hostname' || field === 'referrer') {
      const host = typed.toLowerCase();
      if (host === 'https://www.google.de/' && op !== 'glob') return 'google.com';
      return isWhole ? host.replace(/\.$/, '') : host;
    }
    if (field === 'language' || field === 'timezone') return SPELLED[typed] ?? typed;
    return typed.normalize('NFC');
  };
  return { ...filter, value: typeof value === 'string' ? recorded(value) : value.map(recorded) };
}

const SPELLED: Readonly<Record<string, string>> = { EN_us: 'en-US', 'europe/BERLIN': 'Europe/Berlin' };

function visitPassesOne(session: NaiveSession | undefined, filter: NaiveFieldFilter): boolean {
  if (session?.first === undefined) return false;
  const { field, op } = filter;
  const wanted = asRecorded(filter);
  if (field === 'entry_page') return passes(wanted, [session.views[0]!.data.path], false);
  if (field === 'exit_page') return passes(wanted, [session.views.at(-1)!.data.path], false);
  if (field === 'event') {
    const isNegated = op === 'ne' || op === 'not_in' || op === 'not_contains';
    const names = session.events.flatMap((event) => (event.type === 'CustomEventTracked' ? [event.data.name] : []));
    return isNegated
      ? names.every((name) => passes(wanted, [name], false))
      : names.some((name) => passes(wanted, [name], false));
  }
  return passes(wanted, spellingsOf(attributeOf(session.first, field), filter), IGNORES_CASE.includes(field));
}
