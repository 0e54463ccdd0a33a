import type { VisitorIdentity } from '@ledgerline/contracts/events/website.events';

/**
 * How long one salt serves: a day or a month by the calendar, which begins at another instant in every time zone, or all
 * time.
 */
export interface Period {
  /** `YYYY-MM-DD`, `YYYY-MM` or `stable`. */
  readonly name: string;
  /** Its bounds in UTC, epoch ms; the end is exclusive, Infinity for `stable`. */
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;

/** Salts are destroyed so long after their period in UTC, so that late events still get the salt of their day. */
const RETENTION_MS = 48 * 3_600_000;

const STABLE: Period = { name: 'stable', start: -Infinity, end: Infinity };

/** The period of a local time: ms since 1970-01-01 00:00 by the clock of its time zone. */
export function periodOf(local: number, identity: VisitorIdentity): Period {
  switch (identity) {
    case 'daily':
      return dayOf(local);
    case 'monthly':
      return monthOf(local);
    case 'stable':
      return STABLE;
  }
}

/** A day, and by how much local time is ahead of UTC at most. */
const AHEAD_MS = DAY_MS + 14 * 3_600_000;

/** The periods whose salts serve or soon will: from a day before they begin anywhere until they are destroyed. */
export function periodsInUse(now: number): readonly Period[] {
  const periods = [STABLE];
  for (const identity of ['daily', 'monthly'] as const) {
    let period = periodOf(now - RETENTION_MS, identity);
    for (; period.start <= now + AHEAD_MS; period = periodOf(period.end, identity)) periods.push(period);
  }
  return periods;
}

/** When the salt of a period is destroyed: epoch ms. */
export const expiryOf = (period: Period): number => period.end + RETENTION_MS;

/** By days since 1970: nearly all events are of the same few days. */
const days = new Map<number, Period>();
const MAX_DAYS = 1_000;

function dayOf(local: number): Period {
  const number = Math.floor(local / DAY_MS);
  const known = days.get(number);
  if (known !== undefined) return known;
  if (days.size >= MAX_DAYS) days.clear();
  const start = number * DAY_MS;
  const period = { name: new Date(start).toISOString().slice(0, 10), start, end: start + DAY_MS };
  days.set(number, period);
  return period;
}

function monthOf(local: number): Period {
  const date = new Date(local);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return {
    name: date.toISOString().slice(0, 7),
    start: Date.UTC(year, month, 1),
    end: Date.UTC(year, month + 1, 1),
  };
}
