import type { Table, Tie } from './tables';
import { SESSION_FLAG, type Unit } from '@ledgerline/contracts/read-models/session-days';
import type { CountScope } from './scope';
import type { CompiledCondition } from './compiled-condition';
import { take } from './columns';
import { orderOf, visitorsOf } from './groups';
import { floats, integers } from './scratch';

/** Whose events follow each other. */
export type TimelineOf = 'visitor' | 'session';

/** Some events of visitors or sessions in order: those of one together, each by the time and then by the id of its event. */
export interface Timeline {
  readonly size: number;
  /** Where the events of each visitor or session begin, and the last ones end. */
  readonly starts: readonly number[];
  /** Columns: the place of each one's unit, its time, and which of the marks of its kind it has. */
  readonly units: readonly Unit[];
  readonly places: Int32Array;
  readonly times: Float64Array;
  /** Number of the kind, in the order in which they were given. */
  readonly kinds: Int32Array;
}

/** The events of a kind that are wanted: not 0 for each unit. */
export interface WantedUnits {
  readonly unit: Unit;
  readonly isWanted: Uint8Array | Int32Array;
}

/** The order of events that happened in the same millisecond, which columns do not have: by {@link tieKey} ascending ranks. */
export type TieOrder = ReadonlyMap<string, readonly number[]>;

/** What funnels, goals and the like are counted from. */
export interface GoalScope extends CountScope {
  /** Those that the plan names, in their order. */
  readonly conditions: readonly CompiledCondition[];
  /** Where it is known. */
  readonly order?: TieOrder | undefined;
}

/** @throws Error for a condition that was not looked up */
export function conditionAt({ conditions }: Pick<GoalScope, 'conditions'>, nth: number): CompiledCondition {
  const condition = conditions[nth];
  if (!condition) throw new Error('A condition was not looked up.');
  return condition;
}

type InOrder = Omit<GoalScope, 'conditions'>;

/** Of events of one kind in one session: these are in order among themselves. */
export const tieKey = (visitor: number, firstAt: number, durationMs: number, at: number, unit: Unit): string =>
  `${visitor} ${firstAt} ${durationMs} ${at} ${unit}`;

/** Instead of rows: ties whose order has to be looked up before. */
export const tiesTable = (ties: readonly Tie[]): Table => ({ size: 0, columns: {}, ties });

/** The timelines; or the ties whose order has to be known before. */
export function timelineOf(scope: InOrder, of: TimelineOf, wanted: readonly WantedUnits[]): Timeline | readonly Tie[] {
  const events = eventsOf(scope, of, wanted);
  const { owners, times, sources } = events;
  const order = inOrderOf(events);
  const leads = leadingClicks(scope, events, wanted);
  const ties: Tie[] = [];
  const starts: number[] = [];
  for (let nth = 0; nth < order.length; nth++) {
    const [at, before] = [order[nth] ?? 0, order[nth - 1] ?? -1];
    if (owners[at] !== owners[before]) starts.push(nth);
    else if (times[at] === times[before] && sources[at] !== sources[before] && !scope.order && !leads(before, at))
      ties.push({ visitor: events.visitors[at] ?? -1, at: times[at] ?? 0 });
  }
  if (ties.length > 0) return ties;
  starts.push(order.length);
  return {
    ...{ size: order.length, starts, units: wanted.map(({ unit }) => unit) },
    ...{ places: take(events.places, order), times: take(times, order), kinds: take(events.kinds, order) },
  };
}

/** Whether an event is a click on a short link, and the one after it the only page view of its session at that time. */
function leadingClicks(
  { sessions }: InOrder,
  { kinds, places }: Pick<Columns, 'kinds' | 'places'>,
  wanted: readonly WantedUnits[],
): (event: number, next: number) => boolean {
  if (!wanted.some(({ unit }) => unit === CLICKS)) return () => false;
  const [clicks, { field, places: sessionOf }] = [sessions.unit(CLICKS).places, sessions.unit('views')];
  const at = field('at');
  const isSame = (a: number, b: number) => sessionOf[a] === sessionOf[b] && at[a] === at[b];
  return (event, next) => {
    const [unit, after] = [event, next].map((each) => wanted[kinds[each] ?? 0]?.unit);
    if (unit !== CLICKS || after !== 'views') return false;
    const view = places[next] ?? 0;
    return sessionOf[view] === clicks[places[event] ?? 0] && !isSame(view - 1, view) && !isSame(view, view + 1);
  };
}

/** Each directly before the page view that carries it. */
const CLICKS = 'link_clicks';

/** The places of events by owner, then time and rank: owners are few and dense, and most have few events. */
function inOrderOf({ owners, times, ranks }: Pick<Columns, 'owners' | 'times' | 'ranks'>): Int32Array {
  const { starts: ends, order } = orderOf({ numbers: owners, count: owners.reduce((a, b) => Math.max(a, b), -1) + 1 });
  const compare = (a: number, b: number) =>
    (times[a] ?? 0) - (times[b] ?? 0) || (ranks[a] ?? 0) - (ranks[b] ?? 0) || a - b;
  for (let owner = 0; owner + 1 < ends.length; owner++) {
    const [from, to] = [ends[owner] ?? 0, ends[owner + 1] ?? 0];
    if (to - from > FEW) order.subarray(from, to).sort(compare);
    else sortFew(order, from, to, compare);
  }
  return order;
}

/** More are sorted by the engine, whose sort costs more to begin. */
const FEW = 24;

function sortFew(order: Int32Array, from: number, to: number, compare: (a: number, b: number) => number): void {
  for (let next = from + 1; next < to; next++) {
    const moved = order[next] ?? 0;
    let place = next;
    for (; place > from && compare(order[place - 1] ?? 0, moved) > 0; place--) order[place] = order[place - 1] ?? 0;
    order[place] = moved;
  }
}

type Columns = ReturnType<typeof eventsOf>;

/** All wanted events in columns. */
function eventsOf({ sessions, order }: InOrder, of: TimelineOf, wanted: readonly WantedUnits[]) {
  let size = 0;
  for (const { isWanted } of wanted) for (let at = 0; at < isWanted.length; at++) if (isWanted[at] !== 0) size++;
  const [owners, visitors, sources] = [integers(size), integers(size), integers(size)];
  const [places, kinds, times, ranks] = [integers(size), integers(size), floats(size), floats(size)];
  const [visitorOf, flags] = [sessions.field('visitor'), sessions.field('flags')];
  const [firstAt, duration] = [sessions.field('first_at'), sessions.field('duration_ms')];
  const ownerOf = of === 'visitor' ? visitorsOf(sessions).numbers : undefined;
  let next = 0;
  for (const [kind, { unit, isWanted }] of wanted.entries()) {
    const { size: all, places: sessionOf, field } = sessions.unit(unit);
    const at = field('at');
    const before = unit === CLICKS ? 0.5 : 0;
    let nthOfTie = 0;
    for (let place = 0; place < all; place++) {
      const session = sessionOf[place] ?? 0;
      if (order)
        nthOfTie = place > 0 && sessionOf[place - 1] === session && at[place - 1] === at[place] ? nthOfTie + 1 : 0;
      if (isWanted[place] === 0) continue;
      const owner = ownerOf ? (ownerOf[session] ?? -1) : (flags[session] ?? 0) & SESSION_FLAG.single ? -1 : session;
      if (owner < 0) continue;
      const [visitor, time] = [visitorOf[session] ?? -1, at[place] ?? 0];
      [owners[next], visitors[next], sources[next]] = [owner, visitor, session * MOST_KINDS + kind];
      [places[next], kinds[next], times[next]] = [place, kind, time];
      if (order) {
        const key = tieKey(visitor, firstAt[session] ?? 0, duration[session] ?? 0, time, unit);
        ranks[next] = order.get(key)?.[nthOfTie] ?? -1;
      }
      ranks[next] = (ranks[next] ?? 0) - before;
      next++;
    }
  }
  return {
    ...{ owners: owners.subarray(0, next), visitors: visitors.subarray(0, next), times: times.subarray(0, next) },
    ...{ ranks: ranks.subarray(0, next), sources: sources.subarray(0, next) },
    ...{ places: places.subarray(0, next), kinds: kinds.subarray(0, next) },
  };
}

const MOST_KINDS = 16;
