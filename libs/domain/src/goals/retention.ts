import { tableOfRows, type Table } from '../counting/tables';
import { percentage } from '../query/rows';
import { FIFTEEN_MINUTES_MS } from '../time/fifteen-minutes';
import { dayOf } from '../time/zones';
import { unitOfKind, unitsMeeting, type FoundCondition } from './found-condition';
import { tiesTable, timelineOf, type AskedInOrder } from './timeline';

export const RETENTION_PERIODS = ['day', 'week', 'month'] as const;
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number];

export interface Retention {
  readonly period: RetentionPeriod;
  /** How many, the first one included. */
  readonly periods: number;
  /** Whether a visitor counts in the very periods of its events, or up to the last of them. */
  readonly mode: 'on' | 'from';
  /** The zone of the website. */
  readonly zone: string;
}

/** What retention is counted from: null = a visit. */
export interface AskedRetention extends AskedInOrder {
  readonly first: FoundCondition | null;
  readonly again: FoundCondition | null;
  /** Epoch ms of the request. */
  readonly now: number;
}

const VISIT: FoundCondition = { kind: 'page', filters: [] };

/** A row for each cohort, by the period in which its visitors began, and each of its periods that has begun. */
export function countRetention(asked: AskedRetention, { period, periods, mode, zone }: Retention): Table {
  const begins = beginsOf(asked);
  if (!(begins instanceof Map)) return tiesTable(begins);
  const numberOf = numbersOfPeriods(period, zone);
  const cohorts = new Map<number, Cohort>();
  const cohortOf = new Map<number, Cohort>();
  for (const [visitor, at] of begins) {
    const number = numberOf(at);
    const cohort = cohorts.get(number) ?? { number, visitors: 0, retained: new Float64Array(periods) };
    cohorts.set(number, cohort);
    cohort.visitors++;
    cohortOf.set(visitor, cohort);
  }
  // `visitor` and period, counted from its first one, in which an event came again
  const returns = new Set<number>();
  const latest = new Map<number, number>();
  eachEvent(asked, asked.again ?? VISIT, (visitor, at) => {
    const cohort = cohortOf.get(visitor);
    const after = cohort === undefined ? 0 : numberOf(at) - cohort.number;
    if (!cohort || after <= 0) return;
    if (mode === 'from') {
      const before = latest.get(visitor) ?? 0;
      if (after <= before) return;
      latest.set(visitor, after);
      for (let nth = before + 1; nth <= Math.min(after, periods - 1); nth++) count(cohort, nth);
    } else if (after < periods && !returns.has(visitor * MOST_PERIODS + after)) {
      returns.add(visitor * MOST_PERIODS + after);
      count(cohort, after);
    }
  });
  const present = numberOf(asked.now);
  const rows = [...cohorts.values()]
    .sort((a, b) => a.number - b.number)
    .flatMap(({ number, visitors, retained: again }) =>
      Array.from({ length: Math.min(periods, present - number + 1) }, (_, nth) => {
        const retained = nth === 0 ? visitors : (again[nth] ?? 0);
        const figures = { visitors, retained, percentage: percentage(retained, visitors) };
        return { cohort: labelOf(period, number), period: nth, ...figures };
      }),
    );
  return { ...tableOfRows(rows), notes: runningNotes(rows, { period, present }) };
}

/** Visitors who began in the same period. */
interface Cohort {
  /** Of the period. */
  readonly number: number;
  visitors: number;
  /** By period, counted from its own. */
  readonly retained: Float64Array;
}

const MOST_PERIODS = 64;

function count({ retained }: Cohort, nth: number): void {
  retained[nth] = (retained[nth] ?? 0) + 1;
}

/** When each visitor began; or the ties whose order decides whether the first page view is selected. */
function beginsOf(asked: AskedRetention) {
  const begins = new Map<number, number>();
  if (asked.first) {
    const { isIn } = asked.sessions.unit(unitOfKind(asked.first.kind));
    eachEvent(asked, asked.first, (visitor, at, place) => {
      if (isIn[place] === 1 && at < (begins.get(visitor) ?? Infinity)) begins.set(visitor, at);
    });
    return begins;
  }
  const { isIn, size, field } = asked.sessions.unit('views');
  const [times, visitors, earliest] = [field('at'), field('visitor'), new Map<number, number>()];
  eachEvent(asked, VISIT, (visitor, at) => {
    if (at < (earliest.get(visitor) ?? Infinity)) earliest.set(visitor, at);
  });
  // of several page views at that time the first one decides
  const isFirst = new Uint8Array(size).map((_, place) =>
    earliest.get(visitors[place] ?? -1) === times[place] ? 1 : 0,
  );
  const timeline = timelineOf(asked, 'visitor', [{ unit: 'views', isWanted: isFirst }]);
  if (!('starts' in timeline)) return timeline;
  for (const start of timeline.starts.slice(0, -1)) {
    const place = timeline.places[start] ?? 0;
    if (isIn[place] === 1) begins.set(visitors[place] ?? -1, timeline.times[start] ?? 0);
  }
  return begins;
}

/** Calls for each event of a visitor that meets a condition, whatever filters and range say. */
function eachEvent(
  { sessions }: AskedRetention,
  condition: FoundCondition,
  take: (visitor: number, at: number, place: number) => void,
): void {
  const { field } = sessions.unit(unitOfKind(condition.kind));
  const [marks, visitors, times] = [unitsMeeting(condition, sessions), field('visitor'), field('at')];
  for (let place = 0; place < marks.length; place++)
    if (marks[place] === 1 && (visitors[place] ?? -1) >= 0) take(visitors[place] ?? -1, times[place] ?? 0, place);
}

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const DAYS_BEFORE_MONDAY = 3;

/** The number of the period of a time: those that follow each other have numbers that do. */
function numbersOfPeriods(period: RetentionPeriod, zone: string): (at: number) => number {
  const known = new Map<number, number>(); // by 15 minutes, at whose ends all days begin
  return (at) => {
    const slot = Math.floor(at / FIFTEEN_MINUTES_MS);
    const number = known.get(slot) ?? numberOfDay(period, dayOf(at, zone));
    known.set(slot, number);
    return number;
  };
}

function numberOfDay(period: RetentionPeriod, day: string): number {
  const days = Date.parse(day) / DAY_MS;
  if (period === 'day') return days;
  if (period === 'week') return Math.floor((days + DAYS_BEFORE_MONDAY) / 7);
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

/** The first day of a period. */
function labelOf(period: RetentionPeriod, number: number): string {
  const days = period === 'day' ? number : 7 * number - DAYS_BEFORE_MONDAY;
  if (period !== 'month') return new Date(days * DAY_MS).toISOString().slice(0, 10);
  return `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}-01`;
}

/** The period that is now is not over. */
function runningNotes(
  rows: readonly { readonly cohort: string; readonly period: number }[],
  { period, present }: { readonly period: RetentionPeriod; readonly present: number },
): readonly string[] {
  const isRunning = ({ cohort, period: nth }: (typeof rows)[number]) => numberOfDay(period, cohort) + nth === present;
  return rows.some(isRunning)
    ? [`The ${period} of ${labelOf(period, present)} is not over: its rows show who has come back so far.`]
    : [];
}
