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

/** One entry for each value and day, each knowing the one before it. */
export function byDay(presences: readonly Presence[]): readonly PresentDay[] {
  if (presences.length === 1 && presences[0]) return [{ ...presences[0], previousDay: -Infinity }];
  const sorted = [...presences].sort((a, b) => a.value - b.value || a.day - b.day);
  const days: { value: number; day: number; previousDay: number; pageviews: number; sessions: number }[] = [];
  for (const { value, day, pageviews, sessions } of sorted) {
    const latest = days.at(-1);
    if (latest?.value === value && latest.day === day) {
      latest.pageviews += pageviews;
      latest.sessions += sessions;
    } else {
      days.push({ value, day, previousDay: latest?.value === value ? latest.day : -Infinity, pageviews, sessions });
    }
  }
  return days;
}
