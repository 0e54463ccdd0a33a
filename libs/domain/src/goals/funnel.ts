import type { FunnelDefinition } from '@ledgerline/contracts/definitions';
import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import { bucketsAt } from '../counting/series-bucket';
import { percentage } from '../query/rows';
import { tableOfRows, type Table } from '../counting/tables';
import { NO_VALUE, valuesOfUnits } from './breakdown';
import { unitOfKind, unitsMeeting, type FoundCondition } from './found-condition';
import { tiesTable, timelineOf, type AskedInOrder, type Timeline, type WantedUnits } from './timeline';

/** A funnel that is asked for, with all of its defaults. */
export interface NamedFunnel extends Required<Pick<FunnelDefinition, 'steps' | 'order' | 'per'>> {
  readonly windowMs: number;
}

/** What funnels are counted from, with the conditions of their steps in their order. */
export interface AskedFunnel extends AskedInOrder {
  readonly conditions: readonly FoundCondition[];
  /** Events later than it (epoch ms) may be missing. */
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

function stepsOfUnits({ sessions, conditions }: AskedFunnel): StepsOfUnits {
  const found = new Map<Unit, Int32Array>();
  const met = new Map<string, Uint8Array>();
  for (const [step, condition] of conditions.entries()) {
    const unit = unitOfKind(condition.kind);
    const key = JSON.stringify([condition.kind, condition.filters]); // steps may have the same condition
    const marks = met.get(key) ?? unitsMeeting(condition, sessions);
    met.set(key, marks);
    const bits = found.get(unit) ?? new Int32Array(marks.length);
    found.set(unit, bits);
    for (let at = 0; at < marks.length; at++) if (marks[at] === 1) bits[at] = (bits[at] ?? 0) | (1 << step);
  }
  return found;
}

/** The events that attempts go through: those that meet a step, or of a strict funnel all that may come between. */
function wantedUnits(asked: AskedFunnel, { order }: NamedFunnel, steps: StepsOfUnits): readonly WantedUnits[] {
  if (order === 'ordered')
    return [...steps].map(([unit, bits]) => {
      const isWanted = new Uint8Array(bits.length);
      for (let at = 0; at < bits.length; at++) if (bits[at] !== 0) isWanted[at] = 1;
      return { unit, isWanted };
    });
  const kinds = new Set(['page', 'event', ...asked.conditions.map(({ kind }) => kind)] as const);
  return [...kinds].map((kind) => ({
    unit: unitOfKind(kind),
    isWanted: unitsMeeting({ kind, filters: [] }, asked.sessions),
  }));
}

/** Events in order, with the steps that they meet and whether an attempt begins there. */
interface Walk {
  readonly timeline: Timeline;
  readonly steps: Int32Array;
  readonly begins: Uint8Array;
}

function walkOf(asked: AskedFunnel, timeline: Timeline, steps: StepsOfUnits): Walk {
  const walk = { timeline, steps: new Int32Array(timeline.size), begins: new Uint8Array(timeline.size) };
  for (const [kind, unit] of timeline.units.entries()) {
    const [bits, { isIn }] = [steps.get(unit), asked.sessions.unit(unit)];
    for (let nth = 0; nth < timeline.size; nth++) {
      if (timeline.kinds[nth] !== kind) continue;
      const place = timeline.places[nth] ?? 0;
      walk.steps[nth] = bits?.[place] ?? 0;
      walk.begins[nth] = (walk.steps[nth] ?? 0) & 1 & (isIn[place] ?? 0);
    }
  }
  return walk;
}

/** The next event that meets each step, from each place on; the end of the timeline = none of the same visitor. */
function nextEvents({ timeline: { size, starts }, steps }: Walk, count: number): readonly Int32Array[] {
  return Array.from({ length: count }, (_, step) => {
    const next = new Int32Array(size + 1).fill(size);
    for (let owner = starts.length - 2; owner >= 0; owner--) {
      let following = size;
      for (let at = (starts[owner + 1] ?? 0) - 1; at >= (starts[owner] ?? 0); at--)
        next[at] = following = ((steps[at] ?? 0) >>> step) & 1 ? at : following;
    }
    return next;
  });
}

/** Makes attempts, by where they begin. */
function attempting(walk: Walk, { steps: { length }, order, windowMs }: NamedFunnel) {
  const { times, size } = walk.timeline;
  const next = nextEvents(walk, length);
  return (first: number, end: number): readonly number[] => {
    const [events, latest] = [[first], (times[first] ?? 0) + windowMs];
    for (let step = 1; step < length; step++) {
      const after = (events[step - 1] ?? 0) + 1;
      const found = after < end ? (next[step]?.[after] ?? size) : size;
      if (found >= end || (times[found] ?? 0) > latest || (order === 'strict' && found !== after)) break;
      events.push(found);
    }
    return events;
  };
}

/** Calls for each attempt of each visitor or session, in order. */
function eachOwner(asked: AskedFunnel, funnel: NamedFunnel) {
  const steps = stepsOfUnits(asked);
  const timeline = timelineOf(asked, funnel.per, wantedUnits(asked, funnel, steps));
  if (!('starts' in timeline)) return { ties: tiesTable(timeline) };
  const walk = walkOf(asked, timeline, steps);
  const attemptAt = attempting(walk, funnel);
  const owners = function* () {
    for (let owner = 0; owner + 1 < timeline.starts.length; owner++) {
      const [start, end] = [timeline.starts[owner] ?? 0, timeline.starts[owner + 1] ?? 0];
      yield { start, end };
    }
  };
  return { timeline, begins: walk.begins, attemptAt, owners };
}

/** The first of the deepest attempts of each visitor or session that makes one. */
function attemptsOf(asked: AskedFunnel, funnel: NamedFunnel) {
  const { ties, timeline, begins, attemptAt, owners } = eachOwner(asked, funnel);
  if (ties) return { ties };
  const attempts: Attempt[] = [];
  for (const { start, end } of owners()) {
    let [best, isOpen]: [readonly number[], boolean] = [[], false];
    for (let first = start; first < end && best.length < funnel.steps.length; first++) {
      if (begins[first] !== 1) continue;
      const events = attemptAt(first, end);
      if (events.length > best.length) best = events;
      const isAtEnd = funnel.order === 'ordered' || events.at(-1) === end - 1;
      if (isAtEnd && (timeline.times[first] ?? 0) + funnel.windowMs > asked.asOf) isOpen = true;
    }
    if (best.length > 0) attempts.push({ events: best, isOpen: isOpen && best.length < funnel.steps.length });
  }
  return { timeline, attempts };
}

/** What is said of attempts that may still go on. */
const openNotes = (open: number, { per }: NamedFunnel): readonly string[] =>
  open === 0
    ? []
    : [`Attempts of ${open} ${per}${open === 1 ? '' : 's'} may still go on, as their window is not over.`];

/** A row for each step; with `by` one for each step and value of where the attempt begins. */
export function countFunnel(asked: AskedFunnel, funnel: NamedFunnel, by?: string): Table {
  const { ties, timeline, attempts } = attemptsOf(asked, funnel);
  if (ties) return ties;
  const [first] = asked.conditions;
  const values = by === undefined || !first ? undefined : valuesOfUnits(asked, unitOfKind(first.kind), by, first);
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

function rowsOfSteps(attempts: readonly Attempt[], { steps }: NamedFunnel, { times }: Timeline) {
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
      percentage: percentage(own, waits[0]?.length ?? 0),
      percentage_of_previous: percentage(own, before ?? own),
      median_ms: step === 0 ? null : medianOf(waits[step] ?? []),
    };
  });
}

/** Of an even number the lower one; null of none. */
const medianOf = (numbers: readonly number[]): number | null =>
  Float64Array.from(numbers).sort()[Math.floor((numbers.length - 1) / 2)] ?? null;

/** The funnel of each bucket of a series: a visitor or session enters each bucket in which an attempt begins. */
export function countFunnelByBucket(asked: AskedFunnel, funnel: NamedFunnel): Table {
  const { ties, timeline, begins, attemptAt, owners } = eachOwner(asked, funnel);
  if (ties) return ties;
  const bucketOf = bucketsAt(asked.question, timeline.times);
  const rows = asked.question.buckets.map((_, nth) => ({ bucket: nth + 1, entered: 0, completed: 0 }));
  for (const { start, end } of owners()) {
    const isComplete = new Map<number, boolean>();
    for (let first = start; first < end; first++) {
      const bucket = bucketOf[first] ?? -1;
      if (begins[first] !== 1 || isComplete.get(bucket)) continue;
      isComplete.set(bucket, attemptAt(first, end).length === funnel.steps.length);
    }
    for (const [bucket, completed] of isComplete) {
      const row = rows[bucket - 1];
      if (row) [row.entered, row.completed] = [row.entered + 1, row.completed + (completed ? 1 : 0)];
    }
  }
  return tableOfRows(rows);
}

/** A row for each visitor of whom an attempt reached a step, or reached it and not the next. */
export function listFunnelVisitors(
  asked: AskedFunnel,
  funnel: NamedFunnel,
  { step, state }: { readonly step: number; readonly state: 'reached' | 'dropped' },
): Table {
  const { ties, timeline, attempts } = attemptsOf(asked, funnel);
  if (ties) return ties;
  const visitorAt = (event: number) => {
    const unit = timeline.units[timeline.kinds[event] ?? 0] ?? 'views';
    return asked.sessions.unit(unit).field('visitor')[timeline.places[event] ?? 0] ?? -1;
  };
  const wanted = attempts.filter(({ events: { length } }) => (state === 'reached' ? length >= step : length === step));
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
