import { singleEventId, type Arrival } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf, type Calendar } from '@ledgerline/domain/sessions/calendar';
import type { SessionHit } from '@ledgerline/domain/sessions/session-hit';
import type { FactColumns } from './event-facts.projections';
import type { ReadHit, WebsiteEvent } from './read-hit';
import { actorKeyOf, type ActorKey } from './session-rows';

/** The hits that a batch has of one visitor, or of one session or event without a visitor. */
export interface VisitorHits extends ActorKey {
  readonly visitor: string | null;
  readonly calendar: Calendar;
  readonly arrivals: Arrival[];
  /** What fact tables hold of the hits. */
  readonly columns: Map<SessionHit, FactColumns>;
}

/** Groups hits by {@link actorKeyOf}. */
export function addToVisitorHits(
  visits: Map<string, VisitorHits>,
  { website, arrival, columns }: ReadHit,
  { data: { visitorId: visitor, sessionId, zone } }: WebsiteEvent,
): void {
  const actor = visitor ?? sessionId ?? singleEventId(arrival.hit);
  const key = actorKeyOf({ website, actor });
  let visit = visits.get(key);
  if (!visit) {
    visit = { website, actor, visitor, calendar: calendarOf(zone), arrivals: [], columns: new Map() };
    visits.set(key, visit);
  }
  visit.arrivals.push(arrival);
  if (columns) visit.columns.set(arrival.hit, columns);
}
