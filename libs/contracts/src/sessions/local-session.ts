import { placeOfField } from '../read-models/event-kinds';
import { HIT, SESSION_KIND } from '../read-models/sessions';
import { isReport, type Session, type SessionHit, hitValue } from './session';

/** Local days of one time zone as numbers. */
export interface Calendar {
  /** The local day of an instant, in days since 1970-01-01. */
  day(at: number): number;
}

/** Days since 1970-01-01, both inclusive. */
export interface DayWindow {
  readonly since: number;
  readonly until: number;
}

/** A session with the days of its website's calendar between which everything in it happened. */
interface LocalSession {
  readonly session: Session;
  readonly days: DayWindow;
}

/** Sessions of one visitor by where they lie relative to a window of days. */
interface SessionsAroundWindow {
  /** The sessions that reach into the window. */
  readonly near: readonly LocalSession[];
  /** The sessions before the window, the latest first. */
  readonly earlier: readonly LocalSession[];
  /** The sessions after the window, the earliest first. */
  readonly later: readonly LocalSession[];
}

/** The days on which these sessions happened. */
export function windowOf(sessions: readonly Session[], calendar: Calendar): DayWindow {
  let since = Infinity;
  let until = -Infinity;
  for (const session of sessions) {
    const days = daysOf(session, calendar);
    since = Math.min(since, days.since);
    until = Math.max(until, days.until);
  }
  return { since, until };
}

const HOUR_MS = 3_600_000;

/** TRICKY: where clocks went back just after midnight, so did the day; what is in between may be a day off either end. */
const daysOf = ({ firstAt, lastAt }: Session, calendar: Calendar): DayWindow => ({
  since: calendar.day(firstAt - HOUR_MS),
  until: calendar.day(lastAt + HOUR_MS),
});

export function splitByWindow(
  sessions: readonly Session[],
  calendar: Calendar,
  { since, until }: DayWindow,
): SessionsAroundWindow {
  const near: LocalSession[] = [];
  const earlier: LocalSession[] = [];
  const later: LocalSession[] = [];
  for (const session of sessions) {
    const days = daysOf(session, calendar);
    (days.until < since ? earlier : days.since > until ? later : near).push({ session, days });
  }
  earlier.sort((a, b) => b.days.until - a.days.until);
  later.sort((a, b) => a.days.since - b.days.since);
  return { near, earlier, later };
}

/** A stay of a session on a page, as far as leaves and engagement spans report it; -1 = unknown. */
interface PageVisit {
  /** Text id. */
  readonly path: number;
  readonly hostname: number;
  /** Epoch ms of its page view, without one of its first report. */
  readonly at: number;
  readonly timeMs: number;
  /** Hundredths of a percent. */
  readonly scroll: number;
  readonly interactions: number;
}

/** The visits of pages in a session of which something is reported (docs/definitions.md). */
export const pageVisitsOf = ({ kind, hits }: Session): readonly PageVisit[] =>
  kind === SESSION_KIND.none ? [] : visitsIn(hits);

type OpenVisit = { -readonly [Name in keyof PageVisit]: PageVisit[Name] } & { isReported: boolean };

/** Returns the visits of pages in the hits of a session, in order. */
export function visitsIn(hits: readonly Omit<SessionHit, 'id'>[]): readonly PageVisit[] {
  const visits: OpenVisit[] = [];
  const open = new Map<number, OpenVisit>();
  for (const hit of hits) {
    const { kind, path, hostname, at } = hit;
    if (kind !== HIT.view && !isReport(kind)) continue;
    let visit = kind === HIT.view ? undefined : open.get(path);
    if (!visit) {
      visit = { path, hostname, at, timeMs: -1, scroll: -1, interactions: -1, isReported: false };
      visits.push(visit);
      open.set(path, visit);
    }
    if (kind === HIT.view) continue;
    visit.isReported = true;
    visit.timeMs = Math.max(visit.timeMs, hitValue(hit, TIME));
    visit.scroll = Math.max(visit.scroll, hitValue(hit, SCROLL));
    visit.interactions = Math.max(visit.interactions, hitValue(hit, INTERACTIONS));
  }
  return visits.filter(({ isReported }) => isReported);
}

/** The fields of leaves and of engagement spans alike. */
const TIME = placeOfField('leave', 'time_ms');
const SCROLL = placeOfField('leave', 'scroll');
const INTERACTIONS = placeOfField('leave', 'interactions');
