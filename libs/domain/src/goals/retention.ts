import type { Condition } from '@ledgerline/contracts/definitions';
import { visitorsOf } from '../counting/groups';
import { type Table, type Tie, tableOfRows } from '../counting/tables';
import { percentage } from '../query/rows';
import { bytes, floats, integers } from '../session-days/scratch';
import { FIFTEEN_MINUTES_MS } from '../time/fifteen-minutes';
import { dayOf } from '../time/zones';
import { unitOfKind, unitsMeeting, type FoundCondition } from './found-condition';
import { conditionAt, tiesTable, timelineOf, type GoalScope } from './timeline';

export const RETENTION_PERIODS = ['day', 'week', 'month'] as const;
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number];

export interface RetentionOptions {
  /** What visitors begin with, and what they come back for; without it a visit. */
  readonly first?: Condition | undefined;
  readonly again?: Condition | undefined;
  readonly period: RetentionPeriod;
  /** How many, the first one included. */
  readonly periods: number;
  /** Whether a visitor counts in the very periods of its events, or up to the last of them. */
  readonly mode: 'on' | 'from';
  /** The zone of the website. */
  readonly zone: string;
  /** Epoch ms of the request. */
  readonly now: number;
}

const VISIT: FoundCondition = { kind: 'page', filters: [] };

/** A row for each cohort, by the period in which its visitors began, and each of its periods that has begun. */
export function countRetention(asked: GoalScope, options: RetentionOptions): Table {
  const { first, again, period, periods, mode, zone, now } = options;
  const begins = beginsOf(asked, first && conditionAt(asked, 0));
  if (!(begins instanceof Float64Array)) return tiesTable(begins);
  const numberOf = numbersOfPeriods(period, zone);
  const cohorts = new Map<number, Cohort>();
  const cohortOf: (Cohort | undefined)[] = [];
  for (const at of begins) {
    const number = at < Infinity ? numberOf(at) : undefined;
    const cohort = number === undefined ? undefined : (cohorts.get(number) ?? cohortFrom(number, periods));
    cohortOf.push(cohort);
    if (!cohort) continue;
    cohorts.set(cohort.number, cohort);
    cohort.visitors++;
  }
  // of each visitor a bit for each period, counted from its first one, in which it was seen
  const [seen, seenLater] = [integers(begins.length), integers(begins.length)];
  eachEvent(asked, again ? conditionAt(asked, first ? 1 : 0) : VISIT, (visitor, at) => {
    const cohort = cohortOf[visitor];
    const after = cohort === undefined ? 0 : numberOf(at) - cohort.number;
    if (!cohort || after <= 0) return;
    // `from`: in all periods up to the last one
    for (let nth = Math.min(after, periods - 1); nth > 0 && (mode === 'from' || nth === after); nth--) {
      const [bits, bit] = [nth < 32 ? seen : seenLater, 1 << (nth & 31)];
      if ((bits[visitor] ?? 0) & bit) return;
      bits[visitor] = (bits[visitor] ?? 0) | bit;
      cohort.retained[nth] = (cohort.retained[nth] ?? 0) + 1;
    }
  });
  const present = numberOf(now);
  const rows = [...cohorts.values()]
    .sort((a, b) => a.number - b.number)
    .flatMap(({ number, visitors, retained: later }) =>
      Array.from({ length: Math.min(periods, present - number + 1) }, (_, nth) => {
        const retained = nth === 0 ? visitors : (later[nth] ?? 0);
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

const cohortFrom = (number: number, periods: number): Cohort => ({
  ...{ number, visitors: 0, retained: new Float64Array(periods) },
});

/** When each visitor began (Infinity = not at all); or the ties whose order decides whether the first page view is selected. */
function beginsOf(asked: GoalScope, first: FoundCondition | undefined): Float64Array | readonly Tie[] {
  const { numbers, count } = visitorsOf(asked.sessions);
  const earliest = floats(count).fill(Infinity);
  if (first) {
    const { isIn } = asked.sessions.unit(unitOfKind(first.kind));
    eachEvent(asked, first, (visitor, at, view) => {
      if (isIn[view] === 1 && at < (earliest[visitor] ?? 0)) earliest[visitor] = at;
    });
    return earliest;
  }
  const { isIn, size, places } = asked.sessions.unit('views');
  const selected = bytes(count); // of the views at the earliest time: 1 = some of them, 2 = others not, 3 = both
  eachEvent(asked, VISIT, (visitor, at, view) => {
    if (at > (earliest[visitor] ?? 0)) return;
    if (at < (earliest[visitor] ?? 0)) [earliest[visitor], selected[visitor]] = [at, 0];
    selected[visitor] = (selected[visitor] ?? 0) | (isIn[view] === 1 ? 1 : 2);
  });
  // of several page views at that time the first one decides
  const isOpen = bytes(size);
  if (selected.includes(3))
    eachEvent(asked, VISIT, (visitor, at, view) => {
      if (selected[visitor] === 3 && at === earliest[visitor]) isOpen[view] = 1;
    });
  const timeline = timelineOf(asked, 'visitor', [{ unit: 'views', isWanted: isOpen }]);
  if (!('starts' in timeline)) return timeline;
  for (const start of timeline.starts.slice(0, -1)) {
    const view = timeline.places[start] ?? 0;
    selected[numbers[places[view] ?? 0] ?? 0] = isIn[view] === 1 ? 1 : 2;
  }
  for (let visitor = 0; visitor < count; visitor++) if (selected[visitor] !== 1) earliest[visitor] = Infinity;
  return earliest;
}

/** Calls for each event of a visitor (its number) that meets a condition, whatever filters and range say. */
function eachEvent(
  { sessions }: GoalScope,
  condition: FoundCondition,
  take: (visitor: number, at: number, place: number) => void,
): void {
  const { field, places } = sessions.unit(unitOfKind(condition.kind));
  const [marks, { numbers }, times] = [unitsMeeting(condition, sessions), visitorsOf(sessions), field('at')];
  for (let at = 0; at < marks.length; at++) {
    const visitor = numbers[places[at] ?? 0] ?? -1;
    if (marks[at] === 1 && visitor >= 0) take(visitor, times[at] ?? 0, at);
  }
}

const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const DAYS_BEFORE_MONDAY = 3;

/** The number of the period of a time: those that follow each other have numbers that do. */
function numbersOfPeriods(period: RetentionPeriod, zone: string): (at: number) => number {
  const known = new Map<number, number>(); // by 15 minutes, at whose ends all days begin
  let [latestSlot, latest] = [NaN, 0]; // TRICKY: most times lie in the same 15 minutes as the one before
  return (at) => {
    const slot = Math.floor(at / FIFTEEN_MINUTES_MS);
    if (slot === latestSlot) return latest;
    const number = known.get(slot) ?? numberOfDay(period, dayOf(at, zone));
    known.set(slot, number);
    [latestSlot, latest] = [slot, number];
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
