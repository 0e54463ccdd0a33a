import { createHash } from 'node:crypto';
import type {
  EngagementMeasured,
  PageLeft,
  PageViewed,
  WebsiteObservedEvent,
} from '@ledgerline/contracts/events/observed-events';

/** One session, recomputed from nothing but its events (docs/definitions.md). */
export interface NaiveSession {
  id: string;
  visitor: string | null;
  events: WebsiteObservedEvent[];
  views: PageViewed[];
  /** The first page view; its attributes are the session's. */
  first: PageViewed | undefined;
  /** ms */
  duration: number;
  bounced: boolean;
}

const GAP = 30 * 60 * 1000;

export function inOrder(a: { at: number; id: string }, b: { at: number; id: string }): number {
  if (a.at !== b.at) return a.at - b.at;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** All sessions in these events of one website, page views or not. */
export function naiveSessions(events: readonly WebsiteObservedEvent[]): NaiveSession[] {
  const groups: { id: string; visitor: string | null; events: WebsiteObservedEvent[] }[] = [];
  const sorted = [...events].sort(inOrder);
  for (const event of sorted) {
    const { visitorId, sessionId } = event.data;
    if (sessionId === null) continue;
    const known = groups.find((group) => group.id === sessionId && group.visitor === visitorId);
    if (known) known.events.push(event);
    else groups.push({ id: sessionId, visitor: visitorId, events: [event] });
  }
  const latest = new Map<string, { id: string; visitor: string | null; events: WebsiteObservedEvent[] }>();
  for (const event of sorted) {
    const { visitorId, sessionId } = event.data;
    if (sessionId !== null || visitorId === null) continue;
    const open = latest.get(visitorId);
    const previous = open?.events.at(-1);
    if (open && previous && event.at - previous.at <= GAP) {
      open.events.push(event);
    } else {
      const id = createHash('sha256').update(`${visitorId}|${event.id}|${event.at}`).digest('hex').slice(0, 32);
      const island = { id, visitor: visitorId, events: [event] };
      latest.set(visitorId, island);
      groups.push(island);
    }
  }
  return groups.map(finish);
}

function finish(group: { id: string; visitor: string | null; events: WebsiteObservedEvent[] }): NaiveSession {
  const views = group.events.filter((event): event is PageViewed => event.type === 'PageViewed');
  const lastView = views.at(-1);
  const firstEvent = group.events[0]!;
  const lastEvent = group.events.at(-1)!;
  let end = lastEvent.at;
  if (lastView) end = Math.max(end, lastView.at + timeOn(lastView, group.events));
  const acted = group.events.some(({ type }) => type === 'CustomEventTracked' || type === 'OutgoingLinkClicked');
  return {
    ...group,
    views,
    first: views[0],
    duration: end - firstEvent.at,
    bounced: views.length === 1 && timeOn(views[0]!, group.events) < 10_000 && !acted,
  };
}

/** ms spent on the page of this view, as far as leaves and engagement spans tell. */
function timeOn(view: PageViewed, events: WebsiteObservedEvent[]): number {
  const next = events.find(
    (other) => other.type === 'PageViewed' && other.data.path === view.data.path && inOrder(other, view) > 0,
  );
  let longest = 0;
  for (const event of events) {
    if (event.type !== 'PageLeft' && event.type !== 'EngagementMeasured') continue;
    const left: PageLeft | EngagementMeasured = event;
    if (left.data.path !== view.data.path || left.data.timeOnPage === null) continue;
    if (inOrder(left, view) < 0 || (next && inOrder(left, next) > 0)) continue;
    longest = Math.max(longest, Math.round(left.data.timeOnPage * 1000));
  }
  return longest;
}
