import type { ReportPeriod } from '@ledgerline/contracts/events/report.events';
import { firstDayOf } from '../query/buckets';
import { addDays, dayOf, instantAt, startOfDay } from '../time/zones';

/** A week or month that is over. */
export interface PastPeriod {
  /** Inclusive days, `YYYY-MM-DD`. */
  readonly startDate: string;
  readonly endDate: string;
  /** The day after. */
  readonly nextDate: string;
  /** When the next day began, epoch ms. */
  readonly until: number;
  /** When its report is due: at 08:00 of the next day. */
  readonly dueAt: number;
}

interface Calendar {
  readonly period: ReportPeriod;
  readonly timezone: string;
}

const GRANULARITIES = { week: 'weekly', month: 'monthly' } as const;
const DUE_AFTER_MS = 8 * 60 * 60_000;
/** The longest that a report waits for the events of its period. */
export const LONGEST_WAIT_MS = 12 * 60 * 60_000;

/** The last period that was over at a time (epoch ms); days are those of the report's time zone. */
export function lastReportPeriod({ period, timezone }: Calendar, now: number): PastPeriod {
  const nextDate = firstDayOf(dayOf(now, timezone), GRANULARITIES[period]);
  const endDate = addDays(nextDate, -1);
  const startDate = firstDayOf(endDate, GRANULARITIES[period]);
  const dueAt = instantAt(nextDate, DUE_AFTER_MS, timezone);
  return { startDate, endDate, nextDate, until: startOfDay(nextDate, timezone), dueAt };
}
