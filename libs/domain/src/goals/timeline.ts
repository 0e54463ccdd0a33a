import { SESSION_FLAG, type Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Asked } from '../counting/asked';
import type { Table, Tie } from '../counting/tables';

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

/** The events of a kind that are wanted: 1 for each unit. */
export interface WantedUnits {
  readonly unit: Unit;
  readonly isWanted: Uint8Array;
}

/** The order of events that happened in the same millisecond, which columns do not have: by {@link tieKey} ascending ranks. */
export type TieOrder = ReadonlyMap<string, readonly number[]>;

/** What is counted, once it is known with the order of ties. */
export type AskedInOrder = Asked & { readonly order?: TieOrder | undefined };

/** Of events of one kind in one session: these are in order among themselves. */
export const tieKey = (visitor: number, firstAt: number, durationMs: number, at: number, unit: Unit): string =>
  `${visitor} ${firstAt} ${durationMs} ${at} ${unit}`;

/** Instead of rows: ties whose order has to be looked up before. */
export const tiesTable = (ties: readonly Tie[]): Table => ({ size: 0, columns: {}, ties });

/** The timelines; or the ties whose order has to be known before. */
export function timelineOf(
  asked: AskedInOrder,
  of: TimelineOf,
  wanted: readonly WantedUnits[],
): Timeline | readonly Tie[] {
  const events = eventsOf(asked, of, wanted);
  const { owners, times, sources } = events;
  const order = inOrderOf(events);
  const ties: Tie[] = [];
  const starts: number[] = [];
  for (let nth = 0; nth < order.length; nth++) {
    const [at, before] = [order[nth] ?? 0, order[nth - 1] ?? -1];
    if (owners[at] !== owners[before]) starts.push(nth);
    else if (times[at] === times[before] && sources[at] !== sources[before] && !asked.order)
      ties.push({ visitor: events.visitors[at] ?? -1, at: times[at] ?? 0 });
  }
  if (ties.length > 0) return ties;
  const inOrder = <Column extends Int32Array | Float64Array>(column: Column) =>
    column.map((_, nth) => column[order[nth] ?? 0] ?? 0) as Column;
  return {
    ...{ size: order.length, starts: [...starts, order.length], units: wanted.map(({ unit }) => unit) },
    ...{ places: inOrder(events.places), times: inOrder(times), kinds: inOrder(events.kinds) },
  };
}

/** The places of events by owner, then time and rank: owners are few and dense, and most have few events. */
function inOrderOf({ owners, times, ranks }: Pick<Columns, 'owners' | 'times' | 'ranks'>): Int32Array {
  const ends = new Int32Array(owners.reduce((most, owner) => Math.max(most, owner), -1) + 2);
  for (let at = 0; at < owners.length; at++) ends[(owners[at] ?? 0) + 1] = (ends[(owners[at] ?? 0) + 1] ?? 0) + 1;
  for (let owner = 1; owner < ends.length; owner++) ends[owner] = (ends[owner] ?? 0) + (ends[owner - 1] ?? 0);
  const [order, starts] = [new Int32Array(owners.length), ends.slice()];
  for (let at = 0; at < owners.length; at++) {
    const owner = owners[at] ?? 0;
    const place = starts[owner] ?? 0;
    order[place] = at;
    starts[owner] = place + 1;
  }
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
function eventsOf({ sessions, order }: AskedInOrder, of: TimelineOf, wanted: readonly WantedUnits[]) {
  const size = wanted.reduce((sum, { isWanted }) => sum + isWanted.reduce((all, mark) => all + mark, 0), 0);
  const [owners, visitors, times] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const [ranks, sources, places, kinds] = [
    new Float64Array(size),
    new Float64Array(size),
    new Int32Array(size),
    new Int32Array(size),
  ];
  const ofSessions = {
    visitor: sessions.field('visitor'),
    firstAt: sessions.field('first_at'),
    duration: sessions.field('duration_ms'),
    flags: sessions.field('flags'),
  };
  let next = 0;
  for (const [kind, { unit, isWanted }] of wanted.entries()) {
    const { size: all, places: sessionOf, field } = sessions.unit(unit);
    const at = field('at');
    let nthOfTie = 0;
    for (let place = 0; place < all; place++) {
      const session = sessionOf[place] ?? 0;
      nthOfTie = place > 0 && sessionOf[place - 1] === session && at[place - 1] === at[place] ? nthOfTie + 1 : 0;
      if (isWanted[place] !== 1) continue;
      const [visitor, time] = [ofSessions.visitor[session] ?? -1, at[place] ?? 0];
      if (of === 'visitor' ? visitor < 0 : ((ofSessions.flags[session] ?? 0) & SESSION_FLAG.single) !== 0) continue;
      owners[next] = of === 'visitor' ? visitor : session;
      [visitors[next], times[next], places[next], kinds[next]] = [visitor, time, place, kind];
      sources[next] = session * 16 + kind;
      const key = order
        ? tieKey(visitor, ofSessions.firstAt[session] ?? 0, ofSessions.duration[session] ?? 0, time, unit)
        : '';
      ranks[next] = order?.get(key)?.[nthOfTie] ?? -1;
      next++;
    }
  }
  return {
    ...{ owners: owners.subarray(0, next), visitors: visitors.subarray(0, next), times: times.subarray(0, next) },
    ...{ ranks: ranks.subarray(0, next), sources: sources.subarray(0, next) },
    ...{ places: places.subarray(0, next), kinds: kinds.subarray(0, next) },
  };
}
