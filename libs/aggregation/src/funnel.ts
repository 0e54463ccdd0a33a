import type { FunnelDefinition } from '@ledgerline/contracts/definitions';
import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import { bucketsAt } from './scope';
import { type Table, tableOfRows } from './tables';
import { valuesAtRanks } from './columns';
import { blank, integers } from './scratch';
import { NO_VALUE, valuesOfUnits } from './breakdown';
import { conditionsMet, unitOfKind, unitsMeeting } from './compiled-condition';
import { tiesTable, timelineOf, type GoalScope, type Timeline, type WantedUnits } from './timeline';

/** A funnel that is asked for, with all of its defaults. */
export interface FunnelOptions extends Required<Pick<FunnelDefinition, 'steps' | 'order' | 'per'>> {
  readonly windowMs: number;
  /** Events of it and later (epoch ms) may be missing. */
  readonly asOf: number;
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

function walkOf(scope: GoalScope, timeline: Timeline, stepsOf: StepsOfUnits): Walk {
  const { size, kinds, places } = timeline;
  const [steps, begins] = [blank(Int32Array, size), blank(Uint8Array, size)];
  const bitsOf = timeline.units.map((unit) => stepsOf.get(unit));
  const isIn = timeline.units.map((unit) => scope.sessions.unit(unit).isIn);
  for (let nth = 0; nth < size; nth++) {
    const [kind, place] = [kinds[nth] as number, places[nth] as number];
    const met = bitsOf[kind]?.[place] ?? 0;
    steps[nth] = met;
    begins[nth] = met & 1 & (isIn[kind]?.[place] ?? 0);
  }
  return { timeline, steps, begins };
}

/** The attempts of one visitor or session after another. */
class Attempts {
  /** The events of the attempt that was made last, as many as it is deep, by their places in the timeline. */
  readonly events: Int32Array;
  depth = 0;
  /** Whether it would have gone on within a longer window. */
  isTooLate = false;
  /** The events of the visitor or session. */
  start = 0;
  end = 0;
  /** By step and event, if there are many: the next event that meets the step. */
  private next: Int32Array | undefined;

  constructor(
    private readonly walk: Walk,
    private readonly funnel: FunnelOptions,
  ) {
    this.events = integers(funnel.steps.length);
  }

  /** Goes to the events of another one. */
  begin(start: number, end: number): void {
    [this.start, this.end] = [start, end];
    this.next = end - start < MANY ? undefined : nextEvents(this.walk.steps, [start, end], this.events.length);
  }

  /** An attempt that begins with this event. */
  make(first: number): void {
    const { events, end, funnel } = this;
    const { times } = this.walk.timeline;
    const latest = (times[first] as number) + funnel.windowMs;
    events[0] = first;
    this.depth = 1;
    this.isTooLate = false;
    for (let after = first + 1; this.depth < events.length; after = (events[this.depth - 1] as number) + 1) {
      const found = this.find(this.depth, after);
      if (found >= end || (funnel.order === 'strict' && found !== after)) return;
      this.isTooLate = (times[found] as number) > latest;
      if (this.isTooLate) return;
      events[this.depth++] = found;
    }
  }

  /** The next event from a place on that meets a step (from 0); `end` = none. */
  private find(step: number, from: number): number {
    const { end, start, next } = this;
    if (next) return next[step * (end - start + 1) + from - start] ?? end;
    const { steps } = this.walk;
    let at = from;
    while (at < end && (((steps[at] as number) >>> step) & 1) === 0) at++;
    return at;
  }
}

/** Fewer events are looked through each time. */
const MANY = 64;

function nextEvents(steps: Int32Array, [start, end]: readonly [number, number], count: number): Int32Array {
  const size = end - start + 1;
  const next = new Int32Array(count * size).fill(end);
  for (let step = 0; step < count; step++)
    for (let at = end - 1; at >= start; at--) {
      const place = step * size + at - start;
      next[place] = ((steps[at] ?? 0) >>> step) & 1 ? at : (next[place + 1] ?? end);
    }
  return next;
}

/** Calls for each visitor or session with an event that begins an attempt. */
function eachOwner(scope: GoalScope, funnel: FunnelOptions) {
  const met = conditionsMet(scope.conditions, scope.sessions);
  const timeline = timelineOf(scope, funnel.per, wantedUnits(scope, funnel, met));
  if (!('starts' in timeline)) return { ties: tiesTable(timeline) };
  const walk = walkOf(scope, timeline, met);
  const { starts } = timeline;
  const attempts = new Attempts(walk, funnel);
  const each = (take: (attempts: Attempts) => void) => {
    for (let nth = 0; nth + 1 < starts.length; nth++) {
      const end = starts[nth + 1] as number;
      let start = starts[nth] as number;
      while (start < end && walk.begins[start] !== 1) start++;
      if (start === end) continue;
      attempts.begin(start, end);
      take(attempts);
    }
  };
  return { timeline, begins: walk.begins, each };
}

/** The first of the deepest attempts of each visitor or session that makes one. */
interface Deepest {
  /** How many steps each reached. */
  readonly depths: readonly number[];
  /** The events that met these steps, by their places in the timeline: those of all attempts, one after another. */
  readonly events: readonly number[];
  /** How many may still go on. */
  readonly open: number;
}

function attemptsOf(scope: GoalScope, funnel: FunnelOptions) {
  const { ties, timeline, begins, each } = eachOwner(scope, funnel);
  if (ties) return ties;
  const { times } = timeline;
  const [most, isOrdered] = [funnel.steps.length, funnel.order === 'ordered'];
  const [depths, events, best]: [number[], number[], Int32Array] = [[], [], integers(most)];
  let open = 0;
  each((attempts) => {
    const { start, end } = attempts;
    let [depth, isOpen, canGetDeeper] = [0, false, true];
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
      ...{ is_none: value === NO_VALUE, property: values?.textOf(value) ?? null, block: value },
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

/** Of each step how long those that reached it took since the step before, ms. */
type WaitsOfSteps = readonly number[][];
const waitsOf = ({ steps }: FunnelOptions): WaitsOfSteps => steps.map(() => []);

function rowsOfSteps(waits: WaitsOfSteps, { steps }: FunnelOptions) {
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
function medianOf(numbers: readonly number[]): number | null {
  const [median = NaN] = valuesAtRanks(Float64Array.from(numbers), [Math.floor((numbers.length - 1) / 2)]);
  return Number.isNaN(median) ? null : median;
}

/** The funnel of each bucket of a series: a visitor or session enters each bucket in which an attempt begins. */
export function countFunnelByBucket(scope: GoalScope, funnel: FunnelOptions): Table {
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
  const isWanted = (reached: number) =>
    state === 'reached' ? reached >= step : reached === step && step < funnel.steps.length;
  const found: Readonly<Record<'visitor' | 'reached' | 'first_at' | 'last_at', number>>[] = [];
  eachAttempt(attempts, (begin, reached) => {
    if (!isWanted(reached)) return;
    const [first, last] = [attempts.events[begin] ?? 0, attempts.events[begin + reached - 1] ?? 0];
    const [first_at, last_at] = [timeline.times[first] ?? 0, timeline.times[last] ?? 0];
    found.push({ visitor: visitorAt(first), reached, first_at, last_at });
  });
  return tableOfRows(found.filter(({ visitor }) => visitor >= 0));
}
