import {
  SESSION_FIELDS,
  SESSION_FLAG,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { bytes, remember, rememberOf } from '@ledgerline/domain/session-days/scratch';
import type { LookedUp, Question } from '../query-type';
import { picked, placesWith } from './columns';
import type { SelectedSessions } from './selected-sessions';

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
  /** The place of each one's session, ascending. */
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
  of: (asked) => ({ ...asked, ...asked.sessions.units(unit) }),
});

/** Each of the sessions that have such units in the range, with as many as it has. */
export const perSession = (unit: Unit): ItemSource => ({
  units: [unit],
  of: (asked) => ({ ...asked, ...sessionsWith(asked.sessions)(unit) }),
});

/** Several types of a request count the same. */
const sessionsWith = rememberOf((sessions: SelectedSessions) =>
  remember((unit: Unit) => {
    const { counts } = sessions.units(unit);
    const places = placesWith(counts);
    return { ...itemsAt(sessions, places), weights: picked(counts, places) };
  }),
);

/** The sessions at these places as items, with columns for each session beside its fields. */
export function itemsAt(
  sessions: SelectedSessions,
  places: Int32Array,
  columnOf: (name: string) => Numbers | undefined = () => undefined,
) {
  const field = remember((name: string) => {
    const column = columnOf(name) ?? (isSessionField(name) ? sessions.field(name) : unknownField(name));
    return picked(column, places);
  });
  return { size: places.length, places, field };
}

export function unknownField(name: string): never {
  throw new Error(`These items have no field ${name}.`);
}

/** 1 = in a session. */
export function inSession({ size, field }: Items): Uint8Array {
  const [flags, marks] = [field('flags'), bytes(size)];
  for (let at = 0; at < size; at++) marks[at] = (flags[at] ?? 0) & SESSION_FLAG.single ? 0 : 1;
  return marks;
}
