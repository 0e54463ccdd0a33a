import type { LocalSession, VisitorSessions, Window } from './local-session';

/** What one visitor did on one day for one value of a dimension. */
export interface Activity {
  /** Text id. */
  readonly value: number;
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly pageviews: number;
  readonly sessions: number;
}

export interface DailyActivity extends Activity {
  /** The visitor's last day before with activity for the same value; -Infinity = none. */
  readonly previousDay: number;
}

/**
 * One entry for each value and day, with the day before it. Left out are those that no change inside the window can
 * affect: the days before it, and those after it whose previous day lies after it too.
 */
export function byDay(activities: readonly Activity[], { since, until }: Window): readonly DailyActivity[] {
  const sorted =
    activities.length > 1 ? [...activities].sort((a, b) => a.value - b.value || a.day - b.day) : activities;
  const days: DailyActivity[] = [];
  let value = NaN;
  let day = NaN;
  let previousDay = -Infinity;
  let pageviews = 0;
  let sessions = 0;
  const emit = () => {
    if (day >= since && (day <= until || previousDay <= until)) {
      days.push({ value, day, previousDay, pageviews, sessions });
    }
  };
  for (const activity of sorted) {
    if (activity.value === value && activity.day === day) {
      pageviews += activity.pageviews;
      sessions += activity.sessions;
      continue;
    }
    emit();
    previousDay = activity.value === value ? day : -Infinity;
    ({ value, day, pageviews, sessions } = activity);
  }
  emit();
  return days;
}

/** Some values of a dimension. */
export type Values = Pick<ReadonlySet<number>, 'has' | 'size'>;

/** Emits the activities of one session. */
export type ReadActivity = (session: LocalSession, emit: Emit) => void;
type Emit = (value: number, day: number, pageviews: number, sessions: number) => void;

/**
 * The activities that the days inside the window depend on, and the first one after it, for these values: all of the
 * sessions near, and on either side as many as it takes to find each value once.
 */
export function activityAround(
  { near, earlier, later }: VisitorSessions,
  values: Values,
  read: ReadActivity,
): readonly Activity[] {
  const activities: Activity[] = [];
  if (values.size === 0) return activities;
  const emit: Emit = (value, day, pageviews, sessions) => {
    if (values.has(value)) activities.push({ value, day, pageviews, sessions });
  };
  for (const session of near) read(session, emit);
  readNearest(earlier, ({ days }) => -days.until, -1);
  readNearest(later, ({ days }) => days.since, 1);
  return activities;

  /** In the order of their distances, up to the first session that is farther away than each value was found. */
  function readNearest(
    sessions: readonly LocalSession[],
    distanceOf: (session: LocalSession) => number,
    sign: 1 | -1,
  ): void {
    const found = new Set<number>();
    let farthest = -Infinity;
    for (const session of sessions) {
      if (found.size === values.size && farthest < distanceOf(session)) return;
      const from = activities.length;
      read(session, emit);
      for (let at = from; at < activities.length; at++) {
        const { value, day } = activities[at] as Activity; // within its bounds
        if (found.has(value)) continue;
        found.add(value);
        farthest = Math.max(farthest, sign * day);
      }
    }
  }
}
