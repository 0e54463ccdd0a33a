import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { Calendar } from './calendar';
import type { Session } from './session';

/** A session in its website's calendar; days are days since 1970-01-01. */
export interface Stay {
  readonly session: Session;
  /** Day of the first page view; undefined = not counted as a session. */
  readonly enteredDay: number | undefined;
  /** Page views by day, in the order of the first one of each day. */
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
  /** The days between which anything is to be computed; what lies outside is known to be as it was. */
  readonly window: Window;
  /** Those stays that reach into the window: enough for whatever does not look back beyond a day. */
  readonly near: readonly Stay[];
  /** The sessions that came or went, before and after: about a value none of them has nothing can change. */
  readonly changed: readonly Session[];
}

/** Days since 1970-01-01, both inclusive. */
export interface Window {
  readonly since: number;
  readonly until: number;
}

export const ALWAYS: Window = { since: -Infinity, until: Infinity };

/** The days on which these sessions happened. */
export function windowOf(sessions: readonly Session[], calendar: Calendar): Window {
  let [since, until] = [Infinity, -Infinity];
  for (const session of sessions) {
    const days = daysOf(session, calendar);
    since = Math.min(since, days.since);
    until = Math.max(until, days.until);
  }
  return { since, until };
}

/** TRICKY: where clocks went back just after midnight, so did the day, and what is last may be on the earlier one. */
function daysOf({ firstAt, lastAt }: Session, calendar: Calendar): Window {
  const [first, last] = [calendar.day(firstAt), calendar.day(lastAt)];
  return first <= last ? { since: first, until: last } : { since: last, until: first };
}

/** The stays of these sessions, and which of them reach into the window. */
export function staysOf(
  sessions: readonly Session[],
  calendar: Calendar,
  window: Window,
): Pick<Unit, 'stays' | 'near'> {
  const stays = sessions.map((session) => stayOf(session, calendar));
  if (window === ALWAYS) return { stays, near: stays };
  const near = stays.filter(({ session }) => {
    const { since, until } = daysOf(session, calendar);
    return since <= window.until && until >= window.since;
  });
  return { stays, near };
}

function stayOf(session: Session, calendar: Calendar): Stay {
  const viewDays = viewDaysOf(session, calendar);
  return { session, enteredDay: session.enteredAt === null ? undefined : viewDays[0]?.day, viewDays };
}

function viewDaysOf(session: Session, calendar: Calendar): readonly ViewDay[] {
  const { pageviews, firstAt, lastAt } = session;
  if (pageviews === 0) return [];
  const only = calendar.day(firstAt);
  if (calendar.day(lastAt) === only) return [{ day: only, pageviews }]; // without its hits, which may not be read yet
  const viewDays: { day: number; pageviews: number }[] = [];
  for (const hit of session.hits) {
    if (hit.kind !== HIT.view) continue;
    const day = calendar.day(hit.at);
    const latest = viewDays.at(-1);
    const known = latest && day <= latest.day ? viewDays.findLast((each) => each.day === day) : undefined;
    if (known) known.pageviews++;
    else viewDays.push({ day, pageviews: 1 });
  }
  return viewDays;
}
