import type { ConditionDefinition } from '@ledgerline/contracts/definitions';
import { unitOfKind, unitsMeeting, type CompiledCondition } from './compiled-condition';
import { bytes, floats, integers } from './scratch';
import { type ColumnTable, type AmbiguousTime, tableOfRows } from './tables';
import { conditionAt, tiesTable, timelineOf, type GoalScope } from './timeline';

export const RETENTION_PERIODS = ['day', 'week', 'month'] as const;
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number];

export interface RetentionOptions {
  /** The conditions that visitors begin with, and come back for; without it a visit. */
  readonly first?: ConditionDefinition | undefined;
  readonly again?: ConditionDefinition | undefined;
  readonly period: RetentionPeriod;
  /** The number of periods, the first one included. */
  readonly periods: number;
  /** The periods in which a visitor counts: in the very periods of its events, or up to the last of them. */
  readonly mode: 'on' | 'from';
  /** When each period begins (epoch ms), and its first day: from that of the range's begin up to the one that is next. */
  readonly starts: readonly { readonly day: string; readonly at: number }[];
}

const VISIT: CompiledCondition = { kind: 'page', filters: [] };

/** A row for each cohort, by the period in which its visitors began, and each of its periods that has begun. */
export function countRetention(scope: GoalScope, options: RetentionOptions): ColumnTable {
  const { first, again, periods, mode, starts } = options;
  const begins = beginsOf(scope, first && conditionAt(scope, 0));
  if (!(begins instanceof Float64Array)) return tiesTable(begins);
  const numberOf = numbersOfPeriods(starts);
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
  const seen = integers(begins.length);
  const seenLater = integers(begins.length);
  eachEvent(scope, again ? conditionAt(scope, first ? 1 : 0) : VISIT, (visitor, at) => {
    const cohort = cohortOf[visitor];
    const after = cohort === undefined ? 0 : numberOf(at) - cohort.number;
    if (!cohort || after <= 0) return;
    // `from`: in all periods up to the last one
    for (let nth = Math.min(after, periods - 1); nth > 0 && (mode === 'from' || nth === after); nth--) {
      const bits = nth < 32 ? seen : seenLater;
      const bit = 1 << (nth & 31);
      if ((bits[visitor] ?? 0) & bit) return;
      bits[visitor] = (bits[visitor] ?? 0) | bit;
      cohort.retained[nth] = (cohort.retained[nth] ?? 0) + 1;
    }
  });
  const present = starts.length - 2;
  const rows = [...cohorts.values()]
    .sort((a, b) => a.number - b.number)
    .flatMap(({ number, visitors, retained: later }) =>
      Array.from({ length: Math.min(periods, present - number + 1) }, (_, nth) => {
        const retained = nth === 0 ? visitors : (later[nth] ?? 0);
        return { cohort: starts[number]?.day, period: nth, visitors, retained };
      }),
    );
  const isRunning = [...cohorts.keys()].some((number) => present - number < periods);
  return { ...tableOfRows(rows), notes: runningNotes(isRunning, options) };
}

/** Visitors who began in the same period. */
interface Cohort {
  /** The number of the period. */
  readonly number: number;
  visitors: number;
  /** By period, counted from its own. */
  readonly retained: Float64Array;
}

const cohortFrom = (number: number, periods: number): Cohort => ({
  number,
  visitors: 0,
  retained: new Float64Array(periods),
});

/** When each visitor began (Infinity = not at all); or the ties whose order decides whether the first page view is selected. */
function beginsOf(scope: GoalScope, first: CompiledCondition | undefined): Float64Array | readonly AmbiguousTime[] {
  const { count } = scope.sessions.visitors;
  const earliest = floats(count).fill(Infinity);
  if (first) {
    const { isIn } = scope.sessions.unit(unitOfKind(first.kind));
    eachEvent(scope, first, (visitor, at, view) => {
      if (isIn[view] === 1 && at < (earliest[visitor] ?? 0)) earliest[visitor] = at;
    });
    return earliest;
  }
  const { isIn, size } = scope.sessions.unit('views');
  const selected = bytes(count); // of the views at the earliest time: 1 = some of them, 2 = others not, 3 = both
  eachEvent(scope, VISIT, (visitor, at, view) => {
    if (at > (earliest[visitor] ?? 0)) return;
    if (at < (earliest[visitor] ?? 0)) {
      earliest[visitor] = at;
      selected[visitor] = 0;
    }
    selected[visitor] = (selected[visitor] ?? 0) | (isIn[view] === 1 ? 1 : 2);
  });
  // of several page views at that time the first one decides
  const isOpen = bytes(size);
  if (selected.includes(3))
    eachEvent(scope, VISIT, (visitor, at, view) => {
      if (selected[visitor] === 3 && at === earliest[visitor]) isOpen[view] = 1;
    });
  const timeline = timelineOf(scope, 'visitor', [{ unit: 'views', isWanted: isOpen }]);
  if (!('starts' in timeline)) return timeline;
  const { starts } = timeline;
  for (let visitor = 0; visitor < count; visitor++)
    if (starts[visitor] !== starts[visitor + 1])
      selected[visitor] = isIn[timeline.places[starts[visitor] ?? 0] ?? 0] === 1 ? 1 : 2;
  for (let visitor = 0; visitor < count; visitor++) if (selected[visitor] !== 1) earliest[visitor] = Infinity;
  return earliest;
}

/** Calls for each event of a visitor (its number) that meets a condition, whatever filters and range say. */
function eachEvent(
  { sessions }: GoalScope,
  condition: CompiledCondition,
  take: (visitor: number, at: number, place: number) => void,
): void {
  const { field, places } = sessions.unit(unitOfKind(condition.kind));
  const marks = unitsMeeting(condition, sessions);
  const { numbers } = sessions.visitors;
  const times = field('at');
  for (let at = 0; at < marks.length; at++) {
    const visitor = numbers[places[at] ?? 0] ?? -1;
    if (marks[at] === 1 && visitor >= 0) take(visitor, times[at] ?? 0, at);
  }
}

/** The number of the period of a time; -1 before the first one. */
function numbersOfPeriods(starts: RetentionOptions['starts']): (at: number) => number {
  const times = Float64Array.from(starts, ({ at }) => at);
  let latest = 0; // TRICKY: most times lie in the same period as the one before, or near it
  return (at) => {
    while (latest >= 0 && at < (times[latest] ?? 0)) latest--;
    while (at >= (times[latest + 1] ?? Infinity)) latest++;
    return latest;
  };
}

/** The period that is now is not over. */
const runningNotes = (isRunning: boolean, { period, starts }: RetentionOptions): readonly string[] =>
  isRunning ? [`The ${period} of ${starts.at(-2)?.day} is not over: its rows show who has come back so far.`] : [];
