import type { FunnelDefinition } from '@ledgerline/contracts/definitions';
import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import { bucketsAt } from './scope';
import { type Table, tableOfRows } from './tables';
import { bytes, integers } from './scratch';
import { NO_VALUE, valuesOfUnits } from './breakdown';
import { conditionsMet, unitOfKind, unitsMeeting } from './compiled-condition';
import { tiesTable, timelineOf, type GoalScope, type Timeline, type WantedUnits } from './timeline';

/** A funnel that is asked for, with all of its defaults. */
export interface FunnelOptions extends Required<Pick<FunnelDefinition, 'steps' | 'order' | 'per'>> {
  readonly windowMs: number;
  /** Events of it and later (epoch ms) may be missing. */
  readonly asOf: number;
}

/** The first of the deepest attempts of a visitor or session. */
interface Attempt {
  /** Those that met the steps, by their places in the timeline; as many as it is deep. */
  readonly events: readonly number[];
  /** An attempt may still go on. */
  readonly isOpen: boolean;
}

/** Bits of the steps that each unit meets. */
type StepsOfUnits = ReadonlyMap<Unit, Int32Array>;

/** The events that attempts go through: those that meet a step, or of a strict funnel all that may come between. */
function wantedUnits(scope: GoalScope, { order }: FunnelOptions, steps: StepsOfUnits): readonly WantedUnits[] {
  if (order === 'ordered') return [...steps].map(([unit, isWanted]) => ({ unit, isWanted }));
  const kinds = new Set(['page', 'event', ...scope.conditions.map(({ kind }) => kind)] as const);
  return [...kinds].map((kind) => ({
    unit: unitOfKind(kind),
    isWanted: unitsMeeting(
      { ...scope.conditions.find((condition) => condition.kind === kind), kind, filters: [] },
      scope.sessions,
    ),
  }));
}

/** Events in order, with the steps that they meet and whether an attempt begins there. */
interface Walk {
  readonly timeline: Timeline;
  readonly steps: Int32Array;
  readonly begins: Uint8Array;
}

function walkOf(scope: GoalScope, timeline: Timeline, steps: StepsOfUnits): Walk {
  const { size, kinds, places } = timeline;
  const walk = { timeline, steps: integers(size), begins: bytes(size) };
  for (const [kind, unit] of timeline.units.entries()) {
    const [bits, { isIn }] = [steps.get(unit), scope.sessions.unit(unit)];
    for (let nth = 0; nth < size; nth++) {
      if (kinds[nth] !== kind) continue;
      const place = places[nth] ?? 0;
      const met = bits?.[place] ?? 0;
      walk.steps[nth] = met;
      walk.begins[nth] = met & 1 & (isIn[place] ?? 0);
    }
  }
  return walk;
}

/** The next event from a place on that meets a step (from 0); `end` = none of the same visitor or session. */
type NextEvent = (step: number, from: number) => number;

/** Fewer events are looked through each time. */
const MANY = 64;

function nextEvents(steps: Int32Array, [start, end]: readonly [number, number], count: number): NextEvent {
  if (end - start < MANY)
    return (step, from) => {
      let at = from;
      while (at < end && (((steps[at] ?? 0) >>> step) & 1) === 0) at++;
      return at;
    };
  const size = end - start + 1;
  const next = new Int32Array(count * size).fill(end);
  for (let step = 0; step < count; step++)
    for (let at = end - 1; at >= start; at--) {
      const place = step * size + at - start;
      next[place] = ((steps[at] ?? 0) >>> step) & 1 ? at : (next[place + 1] ?? end);
    }
  return (step, from) => next[step * size + from - start] ?? end;
}

/** The events that an attempt meets, and whether it would have gone on within a longer window. */
interface Met {
  readonly events: readonly number[];
  readonly isTooLate: boolean;
}

function attempt(first: number, end: number, next: NextEvent, times: Float64Array, funnel: FunnelOptions): Met {
  const [events, latest] = [[first], (times[first] ?? 0) + funnel.windowMs];
  for (let step = 1, after = first + 1; step < funnel.steps.length; step++) {
    const found = next(step, after);
    if (found >= end || (funnel.order === 'strict' && found !== after)) break;
    if ((times[found] ?? 0) > latest) return { events, isTooLate: true };
    events.push(found);
    after = found + 1;
  }
  return { events, isTooLate: false };
}

/** The events of a visitor or session, from `start` to `end`, and how attempts go on from one of them. */
interface Owner {
  readonly start: number;
  readonly end: number;
  readonly attemptAt: (first: number) => Met;
}

/** Calls for each visitor or session with an event that begins an attempt. */
function eachOwner(scope: GoalScope, funnel: FunnelOptions) {
  const met = conditionsMet(scope.conditions, scope.sessions);
  const timeline = timelineOf(scope, funnel.per, wantedUnits(scope, funnel, met));
  if (!('starts' in timeline)) return { ties: tiesTable(timeline) };
  const { steps, begins } = walkOf(scope, timeline, met);
  const { starts, times } = timeline;
  const each = (take: (owner: Owner) => void) => {
    for (let nth = 0; nth + 1 < starts.length; nth++) {
      const end = starts[nth + 1] ?? 0;
      let start = starts[nth] ?? 0;
      while (start < end && begins[start] !== 1) start++;
      if (start === end) continue;
      const next = nextEvents(steps, [start, end], funnel.steps.length);
      take({ start, end, attemptAt: (first) => attempt(first, end, next, times, funnel) });
    }
  };
  return { timeline, begins, each };
}

/** The first of the deepest attempts of each visitor or session that makes one. */
function attemptsOf(scope: GoalScope, funnel: FunnelOptions) {
  const { ties, timeline, begins, each } = eachOwner(scope, funnel);
  if (ties) return ties;
  const [attempts, { times }, isOrdered]: [Attempt[], Timeline, boolean] = [[], timeline, funnel.order === 'ordered'];
  each(({ start, end, attemptAt }) => {
    let [best, isOpen, canGetDeeper]: [readonly number[], boolean, boolean] = [[], false, true];
    for (let first = start; first < end && best.length < funnel.steps.length; first++) {
      if (begins[first] !== 1) continue;
      const mayGoOn = (times[first] ?? 0) + funnel.windowMs >= funnel.asOf;
      if (canGetDeeper) {
        const { events, isTooLate } = attemptAt(first);
        if (events.length > best.length) best = events;
        canGetDeeper = !isOrdered || isTooLate; // a later one finds the same events, or later ones
        if (mayGoOn && (isOrdered || events.at(-1) === end - 1)) isOpen = true;
      } else if (mayGoOn) isOpen = true;
    }
    attempts.push({ events: best, isOpen: isOpen && best.length < funnel.steps.length });
  });
  return { timeline, attempts };
}

/** What is said of attempts that may still go on. */
const openNotes = (open: number, { per }: FunnelOptions): readonly string[] =>
  open === 0
    ? []
    : [`Attempts of ${open} ${per}${open === 1 ? '' : 's'} may still go on, as their window is not over.`];

/** A row for each step; with `by` one for each step and value of where the attempt begins. */
export function countFunnel(scope: GoalScope, funnel: FunnelOptions, by?: string): Table {
  const made = attemptsOf(scope, funnel);
  if (!('attempts' in made)) return made;
  const { timeline, attempts } = made;
  const [first] = scope.conditions;
  const values = by === undefined || !first ? undefined : valuesOfUnits(scope, unitOfKind(first.kind), by, first);
  const blocks = new Map<number, Attempt[]>(values ? [] : [[NO_VALUE, []]]);
  for (const attempt of attempts) {
    const value = values?.at(timeline.places[attempt.events[0] ?? 0] ?? 0) ?? NO_VALUE;
    const block = blocks.get(value);
    if (block) block.push(attempt);
    else blocks.set(value, [attempt]);
  }
  const rows = [...blocks].flatMap(([value, block]) =>
    rowsOfSteps(block, funnel, timeline).map((row) => ({
      value: values?.isOfProperty || value === NO_VALUE ? 0 : value,
      ...{ is_none: value === NO_VALUE, property: values?.textOf(value) ?? null, block: value },
      ...row,
    })),
  );
  return { ...tableOfRows(rows, ['value']), notes: openNotes(attempts.filter(({ isOpen }) => isOpen).length, funnel) };
}

function rowsOfSteps(attempts: readonly Attempt[], { steps }: FunnelOptions, { times }: Timeline) {
  const waits = steps.map((): number[] => []); // since the step before, of those that reached it
  for (const { events } of attempts)
    for (const [step, event] of events.entries())
      waits[step]?.push((times[event] ?? 0) - (times[events[step - 1] ?? event] ?? 0));
  return steps.map(({ name }, step) => {
    const [reached, next, before] = [step, step + 1, step - 1].map((at) => waits[at]?.length);
    const own = reached ?? 0;
    return {
      ...{ step: step + 1, name: name ?? `Step ${step + 1}`, reached: own },
      dropped: next === undefined ? 0 : own - next,
      ...{ whole: waits[0]?.length ?? 0, before: before ?? own },
      median_ms: step === 0 ? null : medianOf(waits[step] ?? []),
    };
  });
}

/** Of an even number the lower one; null of none. */
const medianOf = (numbers: readonly number[]): number | null =>
  Float64Array.from(numbers).sort()[Math.floor((numbers.length - 1) / 2)] ?? null;

/** The funnel of each bucket of a series: a visitor or session enters each bucket in which an attempt begins. */
export function countFunnelByBucket(scope: GoalScope, funnel: FunnelOptions): Table {
  const { ties, timeline, begins, each } = eachOwner(scope, funnel);
  if (ties) return ties;
  const bucketOf = bucketsAt(scope.request, timeline.times);
  const rows = scope.request.series.days.map((_, nth) => ({ bucket: nth + 1, entered: 0, completed: 0 }));
  each(({ start, end, attemptAt }) => {
    const isComplete = new Map<number, boolean>();
    for (let first = start; first < end; first++) {
      const bucket = bucketOf[first] ?? -1;
      if (begins[first] !== 1 || isComplete.get(bucket)) continue;
      isComplete.set(bucket, attemptAt(first).events.length === funnel.steps.length);
    }
    for (const [bucket, completed] of isComplete) {
      const row = rows[bucket - 1];
      if (row) [row.entered, row.completed] = [row.entered + 1, row.completed + (completed ? 1 : 0)];
    }
  });
  return tableOfRows(rows);
}

/** A row for each visitor of whom an attempt reached a step, or reached it and not the next, if there is one. */
export function listFunnelVisitors(
  scope: GoalScope,
  funnel: FunnelOptions,
  { step, state }: { readonly step: number; readonly state: 'reached' | 'dropped' },
): Table {
  const made = attemptsOf(scope, funnel);
  if (!('attempts' in made)) return made;
  const { timeline, attempts } = made;
  const visitorAt = (event: number) => {
    const unit = timeline.units[timeline.kinds[event] ?? 0] ?? 'views';
    return scope.sessions.unit(unit).field('visitor')[timeline.places[event] ?? 0] ?? -1;
  };
  const isDropped = (reached: number) => reached === step && step < funnel.steps.length;
  const wanted = attempts.filter(({ events: { length } }) =>
    state === 'reached' ? length >= step : isDropped(length),
  );
  const found = wanted.map(({ events }) => ({
    visitor: visitorAt(events[0] ?? 0),
    ...{
      reached: events.length,
      first_at: timeline.times[events[0] ?? 0],
      last_at: timeline.times[events.at(-1) ?? 0],
    },
  }));
  return tableOfRows(found.filter(({ visitor }) => visitor >= 0));
}
