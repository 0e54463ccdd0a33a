import type { RowSource } from '@ledgerline/contracts/aggregates/aggregate';
import { ANOTHER_PAGE_ID } from '@ledgerline/contracts/read-models/dictionary';
import {
  type Numbers,
  SESSION_FIELDS,
  SESSION_FLAG,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import { everyRow, take } from './columns';
import type { CountScope, SelectedSessions, SelectedUnits } from './scope';
import { bytes, floats, integers, remember, rememberOf } from './scratch';

/** Things that are counted: each belongs to a session. */
export interface RowSet extends CountScope {
  readonly size: number;
  /** The place of each one's session, ascending. */
  readonly places: Int32Array;
  /** 0 = it is left out. */
  readonly isIn: Uint8Array | Int32Array;
  /** Each item stands for so many; without weights for one. */
  readonly weights?: Int32Array;
  /** A field of its own or of its session. */
  readonly field: (name: string) => Numbers;
}

/** Where items come from. */
interface RowSetSource {
  readonly units: readonly Unit[];
  readonly fields?: readonly SessionField[];
  readonly of: (scope: CountScope) => RowSet;
}

const OF_SESSIONS: ReadonlySet<string> = new Set(SESSION_FIELDS);

export const isSessionField = (name: string): name is SessionField => OF_SESSIONS.has(name);

/** The units of a kind in the range that filters select. */
const each = (unit: Unit): RowSetSource => ({
  units: [unit],
  of: (scope) => ({ ...scope, ...scope.sessions.unit(unit) }),
});

/** Each of the sessions that have such units in the range, with as many as it has. */
export const perSession = (unit: Unit): RowSetSource => ({
  units: [unit],
  of({ sessions, ...scope }) {
    const weights = countsIn(sessions.unit(unit));
    return { ...scope, ...wholeSessions(sessions), isIn: weights, weights };
  },
});

/** Several types of a request count the same. */
const countsIn = rememberOf(({ counts, places, isIn }: SelectedUnits) => {
  const found = integers(counts.length);
  for (let at = 0; at < places.length; at++) {
    const place = places[at] ?? 0;
    found[place] = (found[place] ?? 0) + (isIn[at] ?? 0);
  }
  return found;
});

/**
 * The counted sessions, with what they have as a whole, whatever lies in the range: `at` and `entry_path` of the first page
 * view, `exit_path` of the last one, and 1 in `bounced`.
 */
const COUNTED_SESSIONS: RowSetSource = {
  units: ['views'],
  fields: ['flags'],
  of: ({ sessions, ...scope }) => ({ ...scope, ...wholeSessions(sessions), isIn: sessions.isCounted }),
};

const EVENT_UNITS: readonly Unit[] = ['views', 'custom_events', 'outgoing_links'];

/** Counted sessions with `events`: how many page views, custom events and outgoing links. */
const SESSIONS_WITH_EVENTS: RowSetSource = { ...COUNTED_SESSIONS, units: EVENT_UNITS };

const wholeSessions = rememberOf((sessions: SelectedSessions) => {
  const field = remember((name: string) =>
    isSessionField(name) ? sessions.field(name) : (FIELDS_OF_SESSIONS[name] ?? unknownField(name))(sessions),
  );
  return { sessions, size: sessions.size, places: everyRow(sessions.size), field };
});

const FIELDS_OF_SESSIONS: Readonly<Record<string, (sessions: SelectedSessions) => Numbers>> = {
  at: ({ unit }) => timesOfFirst(unit('views')),
  entry_path: (sessions) => pagesOfVisits(sessions, 'first'),
  exit_path: (sessions) => pagesOfVisits(sessions, 'last'),
  events: ({ unit }) => EVENT_UNITS.map((name) => unit(name).counts).reduce(added),
  bounced: ({ field }) => bitOf(field('flags'), SESSION_FLAG.bounced),
};

const added = (a: Int32Array, b: Int32Array): Int32Array => a.map((sum, at) => sum + (b[at] ?? 0));

/** The path of the first or last page view of each session, where it may be named. */
function pagesOfVisits({ unit, isNamed }: SelectedSessions, which: 'first' | 'last'): Numbers {
  const { counts, field } = unit('views');
  const paths = ofViews(counts, field('path'), which);
  if (!isNamed) return paths;
  const named = ofViews(counts, isNamed, which);
  return paths.map((path, place) => (named[place] === 0 ? ANOTHER_PAGE_ID : path));
}

const timesOfFirst = ({ counts, field }: SelectedUnits): Numbers => ofViews(counts, field('at'), 'first');

/** Returns what the first or last page view of each session has; 0 without any. */
function ofViews(counts: Int32Array, values: Numbers | Uint8Array, which: 'first' | 'last'): Float64Array {
  const found = floats(counts.length);
  for (let place = 0, at = 0; place < counts.length; place++) {
    const count = counts[place] ?? 0;
    if (count > 0) found[place] = values[which === 'first' ? at : at + count - 1] ?? 0;
    at += count;
  }
  return found;
}

function bitOf(flags: Numbers, bit: number): Int32Array {
  const found = integers(flags.length);
  for (let place = 0; place < found.length; place++) found[place] = (flags[place] ?? 0) & bit;
  return found;
}

/**
 * Steps from one page view of a counted session to the next one, with the paths of both (`from_path`, `to_path`) and the
 * time (`at`) of the first page view of the session; filters on pages select those from or to a selected page view. An item
 * is the page view that a step leads to.
 */
const STEPS: RowSetSource = {
  units: ['views'],
  of(scope) {
    const { sessions } = scope;
    const { size, places, isSelected, field: ofView } = sessions.unit('views');
    const isIn = bytes(size);
    for (let at = 1; at < size; at++) {
      const place = places[at] ?? 0;
      if (place !== places[at - 1] || sessions.isCounted[place] !== 1) continue;
      isIn[at] = (isSelected[at] ?? 0) | (isSelected[at - 1] ?? 0);
    }
    const field = remember((name: string) => {
      if (name === 'at') return take(timesOfFirst(sessions.unit('views')), places);
      if (name === 'to_path') return ofView('path');
      if (name !== 'from_path') return unknownField(name);
      const before = floats(size);
      before.set(ofView('path').subarray(0, -1), Math.min(size, 1));
      return before;
    });
    return { ...scope, size, places, isIn, field };
  },
};

/** Where the rows of an aggregate come from. */
export function itemSource(of: RowSource): RowSetSource {
  if (of === 'counted_sessions') return COUNTED_SESSIONS;
  if (of === 'sessions_with_events') return SESSIONS_WITH_EVENTS;
  return of === 'steps' ? STEPS : each(of);
}

function unknownField(name: string): never {
  throw new Error(`These items have no field ${name}.`);
}
