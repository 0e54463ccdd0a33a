import type { Calendar } from '../time/zones';
import type { Session } from './session';

/** Days since 1970-01-01, both inclusive. */
export interface Window {
  readonly since: number;
  readonly until: number;
}

/** A session with the days of its website's calendar between which everything in it happened. */
export interface LocalSession {
  readonly session: Session;
  readonly days: Window;
}

/** Sessions of one visitor by where they lie relative to a window of days. */
export interface SessionsAroundWindow {
  /** Those that reach into the window. */
  readonly near: readonly LocalSession[];
  /** Those before it, the latest first. */
  readonly earlier: readonly LocalSession[];
  /** Those after it, the earliest first. */
  readonly later: readonly LocalSession[];
}

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

const HOUR_MS = 3_600_000;

/** TRICKY: where clocks went back just after midnight, so did the day; what is in between may be a day off either end. */
const daysOf = ({ firstAt, lastAt }: Session, calendar: Calendar): Window => ({
  since: calendar.day(firstAt - HOUR_MS),
  until: calendar.day(lastAt + HOUR_MS),
});

export function splitByWindow(
  sessions: readonly Session[],
  calendar: Calendar,
  { since, until }: Window,
): SessionsAroundWindow {
  const [near, earlier, later]: [LocalSession[], LocalSession[], LocalSession[]] = [[], [], []];
  for (const session of sessions) {
    const days = daysOf(session, calendar);
    (days.until < since ? earlier : days.since > until ? later : near).push({ session, days });
  }
  earlier.sort((a, b) => b.days.until - a.days.until);
  later.sort((a, b) => a.days.since - b.days.since);
  return { near, earlier, later };
}
