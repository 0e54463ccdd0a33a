import type { FunnelDefinition } from '@ledgerline/contracts/definitions';
import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import { conditionsMet, unitOfKind, unitsMeeting } from './compiled-condition';
import { blank, integers } from './scratch';
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
  const steps = blank(Int32Array, size);
  const begins = blank(Uint8Array, size);
  const bitsOf = timeline.units.map((unit) => stepsOf.get(unit));
  const isIn = timeline.units.map((unit) => scope.sessions.unit(unit).isIn);
  for (let nth = 0; nth < size; nth++) {
    const kind = kinds[nth] as number;
    const place = places[nth] as number;
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
  /** True if it would have gone on within a longer window. */
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
    this.start = start;
    this.end = end;
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
export function eachOwner(scope: GoalScope, funnel: FunnelOptions) {
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
