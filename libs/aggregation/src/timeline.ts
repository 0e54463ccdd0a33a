import { SESSION_FLAG, type Numbers, type Unit } from '@ledgerline/contracts/read-models/session-days';
import { take } from './columns';
import type { CompiledCondition } from './compiled-condition';
import type { RowGroups } from './groups';
import type { CountScope, SelectedSessions } from './scope';
import { blank, floats, integers } from './scratch';
import type { ColumnTable, AmbiguousTime } from './tables';

/** The owner whose events follow each other. */
export type TimelineOf = 'visitor' | 'session';

/** Some events of visitors or sessions in order: those of one together, each by the time and then by the id of its event. */
export interface Timeline {
  readonly size: number;
  /** Where the events of each visitor or session begin, and the last ones end; some have none. */
  readonly starts: Int32Array;
  /** Columns: the place of each one's unit, and its time. */
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

/** The sessions and conditions from which funnels, goals and the like are counted. */
export interface GoalScope extends CountScope {
  /** The conditions that the plan names, in their order. */
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

/** Returns the key of events of one kind in one session: these are in order among themselves. */
export const tieKey = (visitor: number, firstAt: number, durationMs: number, at: number, unit: Unit): string =>
  `${visitor} ${firstAt} ${durationMs} ${at} ${unit}`;

/** Instead of rows: ties whose order has to be looked up before. */
export const tiesTable = (ties: readonly AmbiguousTime[]): ColumnTable => ({ size: 0, columns: {}, ties });

/** The timelines; or the ties whose order has to be known before. */
export function timelineOf(
  scope: InOrder,
  of: TimelineOf,
  wanted: readonly WantedUnits[],
): Timeline | readonly AmbiguousTime[] {
  const timeline = eventsOf(scope, of, wanted);
  for (let owner = 0; owner + 1 < timeline.starts.length; owner++)
    sortEvents(timeline, timeline.starts[owner] as number, timeline.starts[owner + 1] as number);
  const ties = scope.order ? [] : tiesIn(scope, timeline);
  return ties.length > 0 ? ties : timeline;
}

/** Events of different sources, a session and a kind, at one time: nothing says which of them comes first. */
function tiesIn(scope: InOrder, { starts, times, places, kinds, units }: Events): readonly AmbiguousTime[] {
  const columns = units.map((unit) => scope.sessions.unit(unit));
  const sessionOf = (event: number) => columns[kinds[event] as number]?.places[places[event] as number] as number;
  const leads = leadingClicks(scope, { kinds, places, units });
  const visitors = scope.sessions.field('visitor');
  const ties: AmbiguousTime[] = [];
  for (let owner = 0; owner + 1 < starts.length; owner++)
    for (let event = (starts[owner] as number) + 1; event < (starts[owner + 1] as number); event++) {
      if (times[event] !== times[event - 1]) continue;
      const isOfOne = kinds[event] === kinds[event - 1] && sessionOf(event) === sessionOf(event - 1);
      if (!isOfOne && !leads(event - 1, event))
        ties.push({ visitor: visitors[sessionOf(event)] as number, at: times[event] as number });
    }
  return ties;
}

/**
 * Returns whether an event is a click on a short link, and the one after it the only page view of its session at that
 * time.
 */
function leadingClicks(
  { sessions }: InOrder,
  { kinds, places, units }: Pick<Events, 'kinds' | 'places' | 'units'>,
): (event: number, next: number) => boolean {
  if (!units.includes(CLICKS)) return () => false;
  const clicks = sessions.unit(CLICKS).places;
  const { field, places: sessionOf } = sessions.unit('views');
  const at = field('at');
  const isSame = (a: number, b: number) => sessionOf[a] === sessionOf[b] && at[a] === at[b];
  return (event, next) => {
    const [unit, after] = [event, next].map((each) => units[kinds[each] ?? 0]);
    if (unit !== CLICKS || after !== 'views') return false;
    const view = places[next] ?? 0;
    return sessionOf[view] === clicks[places[event] ?? 0] && !isSame(view - 1, view) && !isSame(view, view + 1);
  };
}

/** Each directly before the page view that carries it. */
const CLICKS = 'link_clicks';

interface Events extends Timeline {
  /** The rank of events at one time, if it decides. */
  readonly ranks?: Float64Array;
}

/**
 * Sorts the events of one owner by time and rank; others stay in their order. Most owners have few events, which are in
 * order.
 */
function sortEvents(events: Events, from: number, to: number): void {
  const { times, ranks, places, kinds } = events;
  const isAfter = (a: number, b: number) => {
    const first = times[a] as number;
    const second = times[b] as number;
    return first > second || (first === second && ranks !== undefined && (ranks[a] as number) > (ranks[b] as number));
  };
  let isSorted = true;
  for (let event = from + 1; event < to && isSorted; event++) isSorted = !isAfter(event - 1, event);
  if (isSorted) return;
  const order = Int32Array.from({ length: to - from }, (_, nth) => from + nth);
  if (order.length > FEW) order.sort((a, b) => (isAfter(a, b) ? 1 : isAfter(b, a) ? -1 : a - b));
  else sortFew(order, isAfter);
  for (const column of ranks ? [times, places, kinds, ranks] : [times, places, kinds])
    column.set(take<Numbers>(column, order), from);
}

/** More are sorted by the engine, whose sort costs more to begin. */
const FEW = 24;

function sortFew(order: Int32Array, isAfter: (a: number, b: number) => boolean): void {
  for (let next = 1; next < order.length; next++) {
    const moved = order[next] as number;
    let place = next;
    for (; place > 0 && isAfter(order[place - 1] as number, moved); place--) order[place] = order[place - 1] as number;
    order[place] = moved;
  }
}

/** The owner of each session; -1 = none. */
const ownersOf = ({ visitors, size, field }: SelectedSessions, of: TimelineOf): RowGroups =>
  of === 'visitor' ? visitors : { numbers: sessionsOf(field('flags')), count: size };

function sessionsOf(flags: Numbers): Int32Array {
  const owners = blank(Int32Array, flags.length);
  for (let place = 0; place < owners.length; place++)
    owners[place] = (flags[place] as number) & SESSION_FLAG.single ? -1 : place;
  return owners;
}

/** All wanted events, those of one owner together. */
function eventsOf({ sessions, order }: InOrder, of: TimelineOf, wanted: readonly WantedUnits[]): Events {
  const { numbers: ownerOf, count } = ownersOf(sessions, of);
  const starts = integers(count + 2); // a place further than at the end, as each moves to the next one
  for (const { unit, isWanted } of wanted) {
    const { places: sessionOf } = sessions.unit(unit);
    for (let place = 0; place < isWanted.length; place++) {
      if (isWanted[place] === 0) continue;
      const owner = ownerOf[sessionOf[place] as number] as number;
      if (owner >= 0) starts[owner + 2] = (starts[owner + 2] as number) + 1;
    }
  }
  for (let owner = 2; owner < starts.length; owner++)
    starts[owner] = (starts[owner] as number) + (starts[owner - 1] as number);
  const size = starts[count + 1] as number;
  const places = blank(Int32Array, size);
  const kinds = blank(Int32Array, size);
  const times = blank(Float64Array, size);
  const units = wanted.map(({ unit }) => unit);
  const ranks = order || units.includes(CLICKS) ? floats(size) : undefined;
  for (const [kind, { unit, isWanted }] of wanted.entries()) {
    const { places: sessionOf, field } = sessions.unit(unit);
    const at = field('at');
    const rankOf = ranks && ranksOf(sessions, unit, order);
    for (let place = 0; place < isWanted.length; place++) {
      const rank = rankOf?.(place) ?? 0;
      if (isWanted[place] === 0) continue;
      const owner = ownerOf[sessionOf[place] as number] as number;
      if (owner < 0) continue;
      const next = starts[owner + 1] as number;
      starts[owner + 1] = next + 1;
      places[next] = place;
      kinds[next] = kind;
      times[next] = at[place] as number;
      if (ranks) ranks[next] = rank;
    }
  }
  return { size, starts: starts.subarray(0, count + 1), units, places, kinds, times, ...(ranks && { ranks }) };
}

/** The rank of each unit, which is asked for one after another; a click comes before the page view that carries it. */
function ranksOf(sessions: SelectedSessions, unit: Unit, order: TieOrder | undefined): (place: number) => number {
  const before = unit === CLICKS ? 0.5 : 0;
  if (!order) return () => -before;
  const { places: sessionOf, field: ofUnit } = sessions.unit(unit);
  const at = ofUnit('at');
  const field = sessions.field;
  const visitorOf = field('visitor');
  const firstAt = field('first_at');
  const duration = field('duration_ms');
  let nthOfTie = 0;
  return (place) => {
    const session = sessionOf[place] as number;
    nthOfTie = place > 0 && sessionOf[place - 1] === session && at[place - 1] === at[place] ? nthOfTie + 1 : 0;
    const key = tieKey(
      ...([visitorOf, firstAt, duration].map((column) => column[session] as number) as [number, number, number]),
      at[place] as number,
      unit,
    );
    return (order.get(key)?.[nthOfTie] ?? -1) - before;
  };
}
