import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { Calendar } from './calendar';
import type { Session } from './session';

/** A session in its website's calendar; days are days since 1970-01-01. */
export interface Stay {
  readonly session: Session;
  /** Day of the first page view; undefined = not counted as a session. */
  readonly enteredDay: number | undefined;
  /** Page views by day, in order. */
  readonly viewDays: readonly ViewDay[];
}

interface ViewDay {
  readonly day: number;
  readonly pageviews: number;
}

/** All sessions of one visitor (or of nobody) on a website: what rollups are computed from. */
export interface Unit {
  /** Word id. */
  readonly website: number;
  readonly visitor: string | null;
  readonly calendar: Calendar;
  readonly stays: readonly Stay[];
}

export function stayOf(session: Session, calendar: Calendar): Stay {
  const viewDays: { day: number; pageviews: number }[] = [];
  for (const hit of session.pageviews > 0 ? session.hits : []) {
    if (hit.kind !== HIT.view) continue;
    const day = calendar.day(hit.at);
    const latest = viewDays.at(-1);
    if (latest?.day === day) latest.pageviews++;
    else viewDays.push({ day, pageviews: 1 });
  }
  const enteredDay = session.enteredAt === null ? undefined : viewDays[0]?.day;
  return { session, enteredDay, viewDays };
}
