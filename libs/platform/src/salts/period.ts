import type { VisitorIdentity } from '@ledgerline/contracts/events/website.events';

/** How long one salt serves. */
export interface Period {
  /** `YYYY-MM-DD`, `YYYY-MM` or `stable`. */
  readonly name: string;
  /** Epoch ms; the end is exclusive, Infinity for `stable`. */
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;

/** Salts are destroyed so long after their period, so that late events still get the salt of their day. */
const RETENTION_MS = 48 * 3_600_000;

const STABLE: Period = { name: 'stable', start: -Infinity, end: Infinity };

/** The period of an instant: a UTC day, a UTC month, or all time. */
export function periodOf(at: number, identity: VisitorIdentity): Period {
  switch (identity) {
    case 'daily':
      return dayOf(at);
    case 'monthly':
      return monthOf(at);
    case 'stable':
      return STABLE;
  }
}

const A_DAY_AHEAD_MS = DAY_MS;

/** The periods whose salts serve or soon will: from a day before them until 48 hours after them. */
export function periodsInUse(now: number): readonly Period[] {
  const periods = [STABLE];
  for (const identity of ['daily', 'monthly'] as const) {
    let period = periodOf(now - RETENTION_MS, identity);
    for (; period.start <= now + A_DAY_AHEAD_MS; period = periodOf(period.end, identity)) periods.push(period);
  }
  return periods;
}

/** When the salt of a period is destroyed: epoch ms. */
export const expiryOf = (period: Period): number => period.end + RETENTION_MS;

/** Nearly every event is of the same day as the one before it. */
let latest: Period = { name: '1970-01-01', start: 0, end: DAY_MS };

function dayOf(at: number): Period {
  if (at >= latest.start && at < latest.end) return latest;
  const start = Math.floor(at / DAY_MS) * DAY_MS;
  return (latest = { name: new Date(start).toISOString().slice(0, 10), start, end: start + DAY_MS });
}

function monthOf(at: number): Period {
  const date = new Date(at);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return {
    name: date.toISOString().slice(0, 7),
    start: Date.UTC(year, month, 1),
    end: Date.UTC(year, month + 1, 1),
  };
}
