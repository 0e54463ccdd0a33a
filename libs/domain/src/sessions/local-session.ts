import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { Calendar } from './calendar';
import type { Session } from './session';

/** Days since 1970-01-01, both inclusive. */
export interface Window {
  readonly since: number;
  readonly until: number;
}

export const ALWAYS: Window = { since: -Infinity, until: Infinity };

interface ViewDay {
  readonly day: number;
  readonly pageviews: number;
}

/** A session in its website's calendar; days are days since 1970-01-01. */
export class LocalSession {
  /** The days between which everything in it happened. */
  readonly days: Window;
  private cachedViewDays: readonly ViewDay[] | undefined;

  constructor(
    readonly session: Session,
    private readonly calendar: Calendar,
  ) {
    this.days = daysOf(session, calendar);
  }

  /** Day of the first page view; undefined = not counted as a session. */
  get enteredDay(): number | undefined {
    return this.session.enteredAt === null ? undefined : this.viewDays[0]?.day;
  }

  /** Page views by day, in the order of the first one of each day. */
  get viewDays(): readonly ViewDay[] {
    return (this.cachedViewDays ??= viewDaysOf(this.session, this.calendar));
  }
}

/** Sessions of one visitor by where they lie relative to a window of days. */
export interface SessionsAroundWindow {
  /** Those that reach into the window: enough for rollups that look at single days. */
  readonly near: readonly LocalSession[];
  /** Those before it, the latest first. */
  readonly earlier: readonly LocalSession[];
  /** Those after it, the earliest first. */
  readonly later: readonly LocalSession[];
}

/** All sessions of one visitor on a website, or one session or event without a visitor: what rollups are computed from. */
export interface VisitorSessions extends SessionsAroundWindow {
  /** Text id. */
  readonly website: number;
  readonly visitor: string | null;
  readonly calendar: Calendar;
  /** The days to compute; rows of other days have not changed. */
  readonly window: Window;
  /** The sessions that were added, replaced or removed: rows of values that none of them has cannot change. */
  readonly changed: readonly Session[];
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
    const local = new LocalSession(session, calendar);
    const { days } = local;
    (days.until < since ? earlier : days.since > until ? later : near).push(local);
  }
  earlier.sort((a, b) => b.days.until - a.days.until);
  later.sort((a, b) => a.days.since - b.days.since);
  return { near, earlier, later };
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
    const sameDay = latest && day <= latest.day ? viewDays.findLast((each) => each.day === day) : undefined;
    if (sameDay) sameDay.pageviews++;
    else viewDays.push({ day, pageviews: 1 });
  }
  return viewDays;
}
