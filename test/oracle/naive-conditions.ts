import type { ConditionDefinition, FieldFilter, SegmentDefinition } from '@ledgerline/contracts/definitions';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { attributeOf, COUNTRY_NAMES, REFERRERS } from './naive-attributes';
import { numberIn } from './naive-page-visits';
import { inRange, naiveAlternatives, passes, type NaiveRequest } from './naive-request';
import { isClick, select, type Selection } from './naive-selection';
import type { NaiveSession } from './naive-sessions';

/** An event with the session that it lies in. */
export interface Happened {
  readonly event: WebsiteObservedEvent;
  readonly session: NaiveSession | undefined;
}

const OF_KINDS: Readonly<Record<string, keyof Selection>> = {
  page: 'views',
  event: 'custom',
  outgoing_link: 'outgoing',
  error: 'errors',
  form_submit: 'spans',
  vital: 'vitals',
  link_click: 'clicks',
};

/** Returns whether an event is what a condition says. */
export function isMet({ event }: Happened, { kind, filters = [] }: ConditionDefinition): boolean {
  const isOfKind =
    (kind === 'page' && event.type === 'PageViewed') ||
    (kind === 'event' && event.type === 'CustomEventTracked') ||
    (kind === 'outgoing_link' && event.type === 'OutgoingLinkClicked') ||
    (kind === 'error' && event.type === 'ErrorRecorded') ||
    (kind === 'vital' && event.type === 'VitalMeasured') ||
    (kind === 'link_click' && isClick(event)) ||
    (kind === 'form_submit' && event.type === 'EngagementMeasured' && (numberIn(event, 'formSubmitCount') ?? 0) > 0);
  return isOfKind && filters.every((filter) => naiveAlternatives(filter).some((each) => holds(event, each)));
}

const holds = (event: WebsiteObservedEvent, filter: FieldFilter): boolean =>
  passes(filter, [textOf(event, filter.field)], false);

function textOf(event: WebsiteObservedEvent, field: string): string {
  const property = /^property:(.*)$/s.exec(field)?.[1];
  if (property !== undefined)
    return event.type === 'CustomEventTracked' ? shown(event.data.properties?.[property]) : '';
  const data: Readonly<Record<string, unknown>> = { ...event.data };
  if (field === 'link_id') return (data['click'] as { readonly linkId: string }).linkId;
  if (field === 'domain') return new URL(String(data['href'])).hostname;
  const names: Record<string, string> = {
    query_string: 'query',
    hostname: 'host',
    error_type: 'errorType',
    metric_name: 'metric',
    metric_value: 'value',
    link_kind: 'linkKind',
  };
  const value = data[names[field] ?? field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A property as rows show it, a missing one as the empty text. */
function shown(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? '[1, "a"]' : JSON.stringify(value);
}

/** The events in the range that the filters select and that meet a condition. */
export const conversionsIn = (selection: Selection, condition: ConditionDefinition): readonly Happened[] =>
  (selection[OF_KINDS[condition.kind]!] as readonly Happened[]).filter((happened) => isMet(happened, condition));

/** All events there are, but for reports that later ones replace. */
export function everyEvent(events: readonly WebsiteObservedEvent[], request: NaiveRequest): readonly Happened[] {
  const { views, custom, outgoing, errors, spans, vitals, clicks } = select(events, {
    ...request,
    from: -Infinity,
    to: Infinity,
    filters: [],
    isInSegment: undefined,
  });
  return [...views, ...custom, ...outgoing, ...errors, ...spans, ...vitals, ...clicks];
}

/** Returns what an event is broken down by; '' = none. */
export function valueOf({ event, session }: Happened, by: string): string {
  if (by === 'path' || by.startsWith('property:')) return textOf(event, by);
  if (!session?.first) return '';
  if (by === 'entry_page') return session.first.data.path;
  const value = attributeOf(session.first, by);
  if (by === 'country') return COUNTRY_NAMES[value] ?? '';
  if (by !== 'referrer') return value;
  if (value === '') return 'Direct';
  return Object.values(REFERRERS).find(({ domain }) => domain === value)?.name ?? value;
}

/** Returns whether a session did, and did not, what a segment says. */
export function segmentIn(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  { did }: Pick<SegmentDefinition, 'did'>,
): NonNullable<NaiveRequest['isInSegment']> {
  const every = everyEvent(events, request).filter(({ event }) => inRange(event.at, request));
  return (session) =>
    session !== undefined &&
    did.every(({ condition, within, not = false }) => {
      const isOfSession = ({ event }: Happened) => session.events.includes(event);
      const isOfVisitor = ({ event }: Happened) => session.visitor !== null && event.data.visitorId === session.visitor;
      const own = every.filter(within === 'session' || session.visitor === null ? isOfSession : isOfVisitor);
      return own.some((happened) => isMet(happened, condition)) !== not;
    });
}
