import {
  SESSION_FIELDS,
  SESSION_FLAG,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import type { LookedUp, Question } from '../query-type';
import type { SelectedSessions, SelectedUnits } from './selected-sessions';

/** What a count is about. */
export interface Asked {
  readonly sessions: SelectedSessions;
  readonly question: Question;
  /** What the type's `lookup` found. */
  readonly lookup: readonly LookedUp[];
}

/** Things that are counted: each belongs to a session. */
export interface Items extends Asked {
  readonly size: number;
  /** The place of each one's session. */
  readonly places: Int32Array;
  /** Each item stands for so many; without weights for one. */
  readonly weights?: Int32Array;
  /** A field of its own or of its session. */
  readonly field: (name: string) => Numbers;
}

/** Where items come from. */
export interface ItemSource {
  readonly units: readonly Unit[];
  readonly fields?: readonly SessionField[];
  readonly of: (asked: Asked) => Items;
}

const OF_SESSIONS: ReadonlySet<string> = new Set([...SESSION_FIELDS, 'country', 'device_type']);

export const isSessionField = (name: string): name is SessionField => OF_SESSIONS.has(name);

/** The units of a kind in the range that filters select. */
export const each = (unit: Unit): ItemSource => ({
  units: [unit],
  of: (asked) => itemsOf(asked, asked.sessions.units(unit)),
});

/** Each of the sessions that have such units in the range, with as many as it has. */
export const perSession = (unit: Unit): ItemSource => ({
  units: [unit],
  of(asked) {
    const { sessions } = asked;
    const { places } = sessions.units(unit);
    const counts = new Int32Array(sessions.size);
    for (let at = 0; at < places.length; at++) counts[places[at] ?? 0] = (counts[places[at] ?? 0] ?? 0) + 1;
    const own = placesWith(counts);
    const weights = gathered(counts, own);
    return { ...itemsOf(asked, { size: own.length, places: own, field: unknownField }), weights };
  },
});

/** Items with the fields of their sessions beside their own. */
export function itemsOf(
  asked: Asked,
  units: Pick<SelectedUnits, 'size' | 'places' | 'field'> & { at?: Float64Array },
): Items {
  const { size, places, at } = units;
  const known = new Map<string, Numbers>(at ? [['at', at]] : []);
  const field = (name: string): Numbers => {
    const column =
      known.get(name) ?? (isSessionField(name) ? gathered(asked.sessions.field(name), places) : units.field(name));
    known.set(name, column);
    return column;
  };
  return { ...asked, size, places, field };
}

export function unknownField(name: string): never {
  throw new Error(`These items have no field ${name}.`);
}

/** What a column has at these places. */
export function gathered<Column extends Numbers>(column: Column, places: Int32Array): Column {
  const found = new (column.constructor as new (size: number) => Column)(places.length);
  for (let at = 0; at < places.length; at++) found[at] = column[places[at] ?? 0] ?? 0;
  return found;
}

/** The places of a column that are not 0. */
export function placesWith(column: Int32Array | Uint8Array): Int32Array {
  const places = new Int32Array(column.length);
  let found = 0;
  for (let place = 0; place < column.length; place++) if (column[place] !== 0) places[found++] = place;
  return places.subarray(0, found);
}

/** 1 = in a session. */
export function inSession({ size, field }: Items): Uint8Array {
  const [flags, marks] = [field('flags'), new Uint8Array(size)];
  for (let at = 0; at < size; at++) marks[at] = (flags[at] ?? 0) & SESSION_FLAG.single ? 0 : 1;
  return marks;
}
