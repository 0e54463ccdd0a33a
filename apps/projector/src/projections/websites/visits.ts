import type { Arrival } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf, type Calendar } from '@ledgerline/domain/sessions/calendar';
import type { ReadHit, WebsiteEvent } from './read-hit';
import { visitorKeyOf, type VisitorKey } from './session-rows';

/** The hits that a batch has of one visitor, or of one session or event without a visitor. */
export interface Visit extends VisitorKey {
  readonly visitor: string | null;
  readonly calendar: Calendar;
  readonly arrivals: Arrival[];
}

/** Groups hits by {@link visitorKeyOf}. */
export function addToVisits(
  visits: Map<string, Visit>,
  { website, arrival }: ReadHit,
  { data: { visitorId: visitor, sessionId, zone } }: WebsiteEvent,
): void {
  const unit = visitor ?? sessionId ?? arrival.hit.id;
  const key = visitorKeyOf({ website, unit });
  const visit = visits.get(key);
  if (visit) visit.arrivals.push(arrival);
  else visits.set(key, { website, unit, visitor, calendar: calendarOf(zone), arrivals: [arrival] });
}
