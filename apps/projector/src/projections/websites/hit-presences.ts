import type { Presence } from '@ledgerline/domain/sessions/presence';
import type { Hit } from '@ledgerline/domain/sessions/hit';
import type { Session } from '@ledgerline/domain/sessions/session';
import type { WebsiteUnit } from '../rollup';

/** Hits of a kind of a session by value and day; what is counted is only that they are there. */
export function hitPresences(
  session: Session,
  { calendar }: WebsiteUnit,
  kind: number,
  valueOf: (hit: Hit) => number,
): Presence[] {
  const presences: Presence[] = [];
  for (const hit of session.hits) {
    if (hit.kind === kind) {
      presences.push({ value: valueOf(hit), day: calendar.day(hit.at), pageviews: 0, sessions: 0 });
    }
  }
  return presences;
}
