import type { Window } from './stay';

/** Somebody on one day of one value of a dimension. */
export interface Presence {
  /** Word id. */
  readonly value: number;
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly pageviews: number;
  readonly sessions: number;
}

export interface PresentDay extends Presence {
  /** The day of the same value on which the same somebody was there before; -Infinity = none. */
  readonly previousDay: number;
}

/**
 * One entry for each value and day, each knowing the one before it. Left out are those that nothing inside the window
 * can have changed: the days before it, and those after it whose previous day lies after it too.
 */
export function byDay(presences: readonly Presence[], { since, until }: Window): readonly PresentDay[] {
  const sorted = presences.length > 1 ? [...presences].sort((a, b) => a.value - b.value || a.day - b.day) : presences;
  const days: PresentDay[] = [];
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
  for (const presence of sorted) {
    if (presence.value === value && presence.day === day) {
      pageviews += presence.pageviews;
      sessions += presence.sessions;
      continue;
    }
    emit();
    previousDay = presence.value === value ? day : -Infinity;
    ({ value, day, pageviews, sessions } = presence);
  }
  emit();
  return days;
}
