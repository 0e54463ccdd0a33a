import { NO_VALUE, valuesOfUnits } from './breakdown';
import { valuesAtRanks } from './columns';
import { unitOfKind } from './compiled-condition';
import { eachOwner, type FunnelOptions } from './funnel-attempts';
import { bucketsAt } from './scope';
import { integers } from './scratch';
import { type ColumnTable, tableOfRows } from './tables';
import type { GoalScope } from './timeline';

/** The first of the deepest attempts of each visitor or session that makes one. */
interface Deepest {
  /** The number of steps that each reached. */
  readonly depths: readonly number[];
  /** The events that met these steps, by their places in the timeline: those of all attempts, one after another. */
  readonly events: readonly number[];
  /** The number of attempts that may still go on. */
  readonly open: number;
}

function attemptsOf(scope: GoalScope, funnel: FunnelOptions) {
  const { ties, timeline, begins, each } = eachOwner(scope, funnel);
  if (ties) return ties;
  const { times } = timeline;
  const most = funnel.steps.length;
  const isOrdered = funnel.order === 'ordered';
  const depths: number[] = [];
  const events: number[] = [];
  const best: Int32Array = integers(most);
  let open = 0;
  each((attempts) => {
    const { start, end } = attempts;
    let depth = 0;
    let isOpen = false;
    let canGetDeeper = true;
    for (let first = start; first < end && depth < most; first++) {
      if (begins[first] !== 1) continue;
      const mayGoOn = (times[first] as number) + funnel.windowMs >= funnel.asOf;
      if (canGetDeeper) {
        attempts.make(first);
        if (attempts.depth > depth) {
          best.set(attempts.events);
          depth = attempts.depth;
        }
        canGetDeeper = !isOrdered || attempts.isTooLate; // a later one finds the same events, or later ones
        if (mayGoOn && (isOrdered || attempts.events[attempts.depth - 1] === end - 1)) isOpen = true;
      } else if (mayGoOn) isOpen = true;
    }
    depths.push(depth);
    for (let step = 0; step < depth; step++) events.push(best[step] as number);
    if (isOpen && depth < most) open++;
  });
  return { timeline, attempts: { depths, events, open } };
}

/** Returns what is said of attempts that may still go on. */
const openNotes = (open: number, { per }: FunnelOptions): readonly string[] =>
  open === 0
    ? []
    : [`Attempts of ${open} ${per}${open === 1 ? '' : 's'} may still go on, as their window is not over.`];

/** A row for each step; with `by` one for each step and value of where the attempt begins. */
export function countFunnel(scope: GoalScope, funnel: FunnelOptions, by?: string): ColumnTable {
  const made = attemptsOf(scope, funnel);
  if (!('attempts' in made)) return made;
  const { timeline, attempts } = made;
  const [first] = scope.conditions;
  const values = by === undefined || !first ? undefined : valuesOfUnits(scope, unitOfKind(first.kind), by, first);
  const blocks = new Map<number, WaitsOfSteps>(values ? [] : [[NO_VALUE, waitsOf(funnel)]]);
  eachAttempt(attempts, (begin, depth) => {
    const value = values?.at(timeline.places[attempts.events[begin] ?? 0] ?? 0) ?? NO_VALUE;
    const waits = blocks.get(value) ?? waitsOf(funnel);
    blocks.set(value, waits);
    let before = 0;
    for (let step = 0; step < depth; step++) {
      const time = timeline.times[attempts.events[begin + step] as number] as number;
      waits[step]?.push(step === 0 ? 0 : time - before);
      before = time;
    }
  });
  const rows = [...blocks].flatMap(([value, waits]) =>
    rowsOfSteps(waits, funnel).map((row) => ({
      value: values?.isOfProperty || value === NO_VALUE ? 0 : value,
      is_none: value === NO_VALUE,
      property: values?.textOf(value) ?? null,
      block: value,
      ...row,
    })),
  );
  return { ...tableOfRows(rows, ['value']), notes: openNotes(attempts.open, funnel) };
}

function eachAttempt({ depths }: Deepest, take: (begin: number, depth: number) => void): void {
  let begin = 0;
  for (const depth of depths) {
    take(begin, depth);
    begin += depth;
  }
}

/** The times, ms, that those who reached each step took since the step before. */
type WaitsOfSteps = readonly number[][];
const waitsOf = ({ steps }: FunnelOptions): WaitsOfSteps => steps.map(() => []);

function rowsOfSteps(waits: WaitsOfSteps, { steps }: FunnelOptions) {
  return steps.map(({ name }, step) => {
    const [reached, next, before] = [step, step + 1, step - 1].map((at) => waits[at]?.length);
    const own = reached ?? 0;
    return {
      step: step + 1,
      name: name ?? `Step ${step + 1}`,
      reached: own,
      dropped: next === undefined ? 0 : own - next,
      whole: waits[0]?.length ?? 0,
      before: before ?? own,
      median_ms: step === 0 ? null : medianOf(waits[step] ?? []),
    };
  });
}

/** Returns the median; of an even number the lower one, null of none. */
function medianOf(numbers: readonly number[]): number | null {
  const [median = NaN] = valuesAtRanks(Float64Array.from(numbers), [Math.floor((numbers.length - 1) / 2)]);
  return Number.isNaN(median) ? null : median;
}

/** The funnel of each bucket of a series: a visitor or session enters each bucket in which an attempt begins. */
export function countFunnelByBucket(scope: GoalScope, funnel: FunnelOptions): ColumnTable {
  const { ties, timeline, begins, each } = eachOwner(scope, funnel);
  if (ties) return ties;
  const bucketOf = bucketsAt(scope.request, timeline.times);
  const rows = scope.request.series.days.map((_, nth) => ({ bucket: nth + 1, entered: 0, completed: 0 }));
  each((attempts) => {
    const isComplete = new Map<number, boolean>();
    for (let first = attempts.start; first < attempts.end; first++) {
      const bucket = bucketOf[first] ?? -1;
      if (begins[first] !== 1 || isComplete.get(bucket)) continue;
      attempts.make(first);
      isComplete.set(bucket, attempts.depth === funnel.steps.length);
    }
    for (const [bucket, completed] of isComplete) {
      const row = rows[bucket - 1];
      if (!row) continue;
      row.entered++;
      if (completed) row.completed++;
    }
  });
  return tableOfRows(rows);
}

/** A row for each visitor of whom an attempt reached a step, or reached it and not the next, if there is one. */
export function listFunnelVisitors(
  scope: GoalScope,
  funnel: FunnelOptions,
  { step, state }: { readonly step: number; readonly state: 'reached' | 'dropped' },
): ColumnTable {
  const made = attemptsOf(scope, funnel);
  if (!('attempts' in made)) return made;
  const { timeline, attempts } = made;
  const visitorAt = (event: number) => {
    const unit = timeline.units[timeline.kinds[event] ?? 0] ?? 'views';
    return scope.sessions.unit(unit).field('visitor')[timeline.places[event] ?? 0] ?? -1;
  };
  const isWanted = (reached: number) =>
    state === 'reached' ? reached >= step : reached === step && step < funnel.steps.length;
  const found: Readonly<Record<'visitor' | 'reached' | 'first_at' | 'last_at', number>>[] = [];
  eachAttempt(attempts, (begin, reached) => {
    if (!isWanted(reached)) return;
    const first = attempts.events[begin] ?? 0;
    const last = attempts.events[begin + reached - 1] ?? 0;
    const first_at = timeline.times[first] ?? 0;
    const last_at = timeline.times[last] ?? 0;
    found.push({ visitor: visitorAt(first), reached, first_at, last_at });
  });
  return tableOfRows(found.filter(({ visitor }) => visitor >= 0));
}
