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
export class Stay {
  /** The days between which everything in it happened. */
  readonly days: Window;
  private known: readonly ViewDay[] | undefined;

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
    return (this.known ??= viewDaysOf(this.session, this.calendar));
  }
}

/** Stays of one visitor as seen from a window of days. */
export interface Stays {
  /** Those that reach into the window: enough for whatever does not look back beyond a day. */
  readonly near: readonly Stay[];
  /** Those before it, the latest first. */
  readonly earlier: readonly Stay[];
  /** Those after it, the earliest first. */
  readonly later: readonly Stay[];
}

/** All sessions of one visitor (or of nobody) on a website: what rollups are computed from. */
export interface Unit extends Stays {
  /** Word id. */
  readonly website: number;
  readonly visitor: string | null;
  readonly calendar: Calendar;
  /** The days between which anything is to be computed; what lies outside is known to be as it was. */
  readonly window: Window;
  /** The sessions that came or went, before and after: about a value none of them has nothing can change. */
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

export function staysOf(sessions: readonly Session[], calendar: Calendar, { since, until }: Window): Stays {
  const [near, earlier, later]: [Stay[], Stay[], Stay[]] = [[], [], []];
  for (const session of sessions) {
    const stay = new Stay(session, calendar);
    const { days } = stay;
    (days.until < since ? earlier : days.since > until ? later : near).push(stay);
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
    const known = latest && day <= latest.day ? viewDays.findLast((each) => each.day === day) : undefined;
    if (known) known.pageviews++;
    else viewDays.push({ day, pageviews: 1 });
  }
  return viewDays;
}
