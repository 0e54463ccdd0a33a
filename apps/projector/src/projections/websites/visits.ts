import type { Arrival } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf, type Calendar } from '@ledgerline/domain/sessions/calendar';
import type { ReadHit, WebsiteEvent } from './read-hit';
import { actorKeyOf, type ActorKey } from './session-rows';

/** The hits that a batch has of one visitor, or of one session or event without a visitor. */
export interface Visit extends ActorKey {
  readonly visitor: string | null;
  readonly calendar: Calendar;
  readonly arrivals: Arrival[];
}

/** Groups hits by {@link actorKeyOf}. */
export function addToVisits(
  visits: Map<string, Visit>,
  { website, arrival }: ReadHit,
  { data: { visitorId: visitor, sessionId, zone } }: WebsiteEvent,
): void {
  const actor = visitor ?? sessionId ?? arrival.hit.id;
  const key = actorKeyOf({ website, actor });
  const visit = visits.get(key);
  if (visit) visit.arrivals.push(arrival);
  else visits.set(key, { website, actor, visitor, calendar: calendarOf(zone), arrivals: [arrival] });
}
