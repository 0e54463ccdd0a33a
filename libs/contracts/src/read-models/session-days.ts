import { SESSION_ATTRIBUTES } from '../attributes';
import { EVENT_KINDS, KINDS, PAGE_FIELDS, type EventField, type FactUnit, type UnitOfHits } from './event-kinds';
import { type ReadModelColumn, key, last, meaning, notCompared, readModel, sum } from './read-model';

/**
 * One number for each session. The attributes are text ids of the first page view (0 = unknown), as in `sessions`.
 */
export const SESSION_FIELDS = [
  /** The visitor's number: dense in its website, from 0; -1 = none. */
  'visitor',
  /** Epoch ms of the first event of any kind; in bytes ms after the begin of its day. */
  'first_at',
  'duration_ms',
  /** See {@link SESSION_FLAG}. */
  'flags',
  ...SESSION_ATTRIBUTES,
] as const;

/** Bits of `flags`. `single`: an event in no session, which has a place like one so that it is counted. */
export const SESSION_FLAG = { bounced: 1, single: 2 } as const;

/** Returns what units of facts have: the columns that hold numbers. */
const numbersOf = (columns: Readonly<Record<string, EventField>>): readonly string[] =>
  Object.entries(columns).flatMap(([name, { column }]) => (/^(smallint|integer|bigint)/.test(column) ? [name] : []));

/** By so much a word of an event's id is less than its 32 bits, so that it is an integer with a sign. */
export const ID_WORD_BASE = 2 ** 31;
/** The event's id in words of 32 bits, each less {@link ID_WORD_BASE}: they sort like the id. */
const ID_WORDS = ['id_1', 'id_2', 'id_3', 'id_4'];

/** `at` is in epoch ms; in bytes ms after the session's first event. */
const OF_ANY_UNIT = ['at', ...Object.keys(PAGE_FIELDS)];

/**
 * The units of which sessions consist: `visits` follow from page views and reports (`pageVisitsOf`), all others are of
 * one kind of event.
 */
export type Unit = UnitOfHits | FactUnit | 'visits';

/** The fields of each unit. Any number of each are in a session, sorted by time and event id. */
export const UNIT_FIELDS = Object.fromEntries<readonly string[]>([
  ...KINDS.flatMap(({ unit, fields, hasId, facts }) => [
    ...(unit ? [[unit, [...OF_ANY_UNIT, ...Object.keys(fields), ...(hasId ? ID_WORDS : [])]] as const] : []),
    ...(facts?.unit ? [[facts.unit, [...OF_ANY_UNIT, ...numbersOf(facts.columns)]] as const] : []),
  ]),
  ['visits', [...OF_ANY_UNIT, ...Object.keys(EVENT_KINDS.leave.fields)]],
]) as Readonly<Record<Unit, readonly string[]>>; // one for each

export const UNITS = Object.keys(UNIT_FIELDS) as readonly Unit[];

export type SessionField = (typeof SESSION_FIELDS)[number];

/** A column of bytes: null = every number in it is 0, or no session has such a unit. */
const packed = (): ReadModelColumn<'last'> => last('bytea?');

/**
 * The sessions of days that are over, packed by website and day of UTC of the first event, in the order of country and
 * device: a column of bytes for each field and each unit, laid out as `session-day.ts` of the library `aggregation` says.
 * They follow from `sessions` and the tables of facts. A day has either all of its sessions here or, while it is open, none.
 */
export const sessionDays = meaning(
  notCompared(
    readModel(
      'session_days',
      {
        website: key('integer'),
        day: key('date'),
        /** From 0, in the order of the sessions. */
        number: key('integer'),
        /** The number of sessions. */
        size: last('integer'),
        countries: last('integer[]'),
        device_types: last('integer[]'),
        /** No event of its sessions is later; they may reach into later days. */
        last_at: last('timestamptz'),
        /** A hash of the bytes: rows of one key and version are equal. */
        version: last('bigint'),
        ...(Object.fromEntries([...SESSION_FIELDS, ...UNITS].map((name) => [name, packed()])) as Readonly<
          Record<SessionField | Unit, ReadModelColumn<'last'>>
        >),
      },
      [{ on: ['website', 'last_at', 'day'] }],
    ),
  ),
  ...UNITS.map((unit) => UNIT_FIELDS[unit].length),
);

/** The days of a website on which sessions began: whether `session_days` has them, and how often they have changed. */
export const sessionDayStates = notCompared(
  readModel(
    'session_day_states',
    {
      website: key('integer'),
      day: key('date'),
      /** Counts the batches that changed sessions of the day, so that a day is only sealed as it was read. */
      changes: sum('integer'),
      changed_at: last('timestamptz'),
      is_sealed: last('boolean'),
      /** Counts the changes whose sessions `session_changes` does not list. */
      unlisted: sum('integer'),
      /** The value of `unlisted` when the parts of the day were begun: they are of use while it is the same. */
      parts_of: sum('integer'),
    },
    [{ on: ['is_sealed', 'day'] }],
  ),
);

/** The columns that a part has beside those of {@link sessionDays}. */
export const PART_COLUMNS = ['keys', 'gone'] as const;

/**
 * The sessions of an open day, packed as they come: of a session the part with the greatest number counts, and what
 * `session_changes` lists is newer than all of them. `keys` has {@link KEY_BYTES} for each session, `gone` those of
 * sessions that an earlier part may have and that are not of this day any more.
 */
export const sessionParts = meaning(
  notCompared(
    readModel('session_parts', {
      website: key('integer'),
      day: key('date'),
      /** Never used again for other bytes. */
      number: key('bigint'),
      /** The number of sessions. */
      size: last('integer'),
      /** No event of its sessions is later. */
      last_at: last('timestamptz'),
      ...(Object.fromEntries(
        [...PART_COLUMNS, ...SESSION_FIELDS, ...UNITS].map((name) => [name, packed()]),
      ) as Readonly<Record<(typeof PART_COLUMNS)[number] | SessionField | Unit, ReadModelColumn<'last'>>>),
    }),
  ),
  ...UNITS.map((unit) => UNIT_FIELDS[unit].length),
);

/** The bytes of the MD5 of a session's actor and id: who a session of a part is. */
export const KEY_BYTES = 16;

/** The sessions of an open day that batches have added, replaced or removed since its parts were packed: a row a batch. */
export const sessionChanges = notCompared(
  readModel('session_changes', {
    website: key('integer'),
    day: key('date'),
    /** Random. */
    number: key('bigint'),
    /** The number of sessions. */
    size: last('integer'),
    actors: last('uuid[]'),
    sessions: last('uuid[]'),
  }),
);

/** Numbers that rows of read models depend on: tables that were filled with others mean something else. */

/**
 * Version of the classification of referrers; to be raised with every change of the list or the rules, so that the tables
 * that hold its results are built anew from the referrers in the log.
 */
export const REFERRER_RULES_VERSION = 3;

/** By so much a bin of durations is wider than the one before. */
export const GAMMA = 1.02;

/** Where the ranges of session durations begin, in ms. */
export const RANGE_STARTS: readonly number[] = [0, 10_000, 30_000, 60_000, 180_000, 600_000, 1_800_000];

/** Where the ranges of scroll depths begin, in hundredths of a percent. */
export const SCROLL_RANGE_STARTS = [0, 2500, 5000, 7500, 10_000] as const;

/** Integers, up to 2^53 where they do not fit into 32 bits. */
export type Numbers = Int32Array | Float64Array;

/** Some sessions as columns: each place holds one session. Only the fields and units that were read are there. */
export interface SessionChunk {
  readonly size: number;
  /** @throws RangeError for a field that was not read */
  readonly field: (name: SessionField) => Numbers;
  /** @throws RangeError for units that were not read */
  readonly unit: (name: Unit) => UnitColumns;
}

/** The units of these sessions, those of one session together and in order. */
export interface UnitColumns {
  /** The number of units of each session. */
  readonly counts: Int32Array;
  /** The number of units. */
  readonly size: number;
  /** By the names in `UNIT_FIELDS`. */
  readonly field: (name: string) => Numbers;
}

/** Columns that are all there. */
export const chunkOfColumns = (
  size: number,
  fields: ReadonlyMap<SessionField, Numbers>,
  units: ReadonlyMap<Unit, UnitColumns>,
): SessionChunk => ({ size, field: (name) => columnOf(fields, name), unit: (name) => columnOf(units, name) });

export const unitOfColumns = (counts: Int32Array, fields: ReadonlyMap<string, Numbers>): UnitColumns => ({
  counts,
  size: fields.get('at')?.length ?? 0,
  field: (name) => columnOf(fields, name),
});

function columnOf<Name extends string, Column>(columns: ReadonlyMap<Name, Column>, name: Name): Column {
  const column = columns.get(name);
  if (column === undefined) throw new RangeError(`The ${name} of sessions were not read.`);
  return column;
}
