import { SESSION_ATTRIBUTES, type SessionAttribute, VIEW_ATTRIBUTES } from '../attributes';
import { type Column, key, last, meaning, notCompared, readModel, sum } from './read-model';

/** Attributes that are keys of {@link sessionDays}. */
export const SESSION_KEYS = ['country', 'device_type'] as const;
export type SessionKey = (typeof SESSION_KEYS)[number];
type PackedAttribute = Exclude<SessionAttribute, SessionKey>;

const isPacked = (name: SessionAttribute): name is PackedAttribute =>
  !(SESSION_KEYS as readonly string[]).includes(name);

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
  ...SESSION_ATTRIBUTES.filter(isPacked),
] as const;

/** Bits of `flags`. `single`: an event in no session, which has a place like one so that it is counted. */
export const SESSION_FLAG = { bounced: 1, single: 2 } as const;

const OF_ANY_UNIT = [
  /** Epoch ms; in bytes ms after the session's first event. */
  'at',
  'path',
] as const;

/** `link_kind` of an outgoing link; an own download is from the website's domain. */
export const LINK_KIND = { link: 0, download: 1, ownDownload: 2 } as const;

/** By so much a word of an event's id is less than its 32 bits, so that it is an integer with a sign. */
export const ID_WORD_BASE = 2 ** 31;

/**
 * What a session consists of: any number of each unit, sorted by time and event id. Paths and texts are text ids
 * (0 = none).
 */
export const UNIT_FIELDS = {
  views: [...OF_ANY_UNIT, ...VIEW_ATTRIBUTES],
  /** Stays on pages, as the domain computes them (`pageVisitsOf`); -1 = unknown. */
  visits: [...OF_ANY_UNIT, 'time_ms', 'scroll', 'interactions'],
  /** `has_properties`: 1 or 0. */
  custom_events: [...OF_ANY_UNIT, 'name', 'has_properties'],
  /** `link_kind`: {@link LINK_KIND}. The event's id in words of 32 bits, each less {@link ID_WORD_BASE}: they sort like the id. */
  outgoing_links: [...OF_ANY_UNIT, 'href', 'label', 'link_kind', 'id_1', 'id_2', 'id_3', 'id_4'],
  errors: [...OF_ANY_UNIT, 'message', 'error_type'],
  /** `metric`: its place in `METRICS`. */
  vitals: [...OF_ANY_UNIT, 'metric', 'micros'],
  /** Engagement spans, as in `engagement_spans`; -1 for a measure that was not sent. */
  spans: [
    ...[...OF_ANY_UNIT, 'time_ms', 'active_ms', 'first_interaction_ms'],
    ...['rage_clicks', 'dead_clicks', 'rage_target', 'dead_target', 'form_fields', 'form_submits', 'last_field'],
  ],
  /** Clicks on short links that led to page views, as in `link_visits`: directly before them. */
  link_clicks: [...OF_ANY_UNIT, 'link'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Unit = keyof typeof UNIT_FIELDS;
export const UNITS = Object.keys(UNIT_FIELDS) as readonly Unit[];

/** A field of each session; country and device too. */
export type SessionField = (typeof SESSION_FIELDS)[number] | SessionKey;

/** A column of bytes: null = every number in it is 0, or no session has such a unit. */
const packed = (): Column<'last'> => last('bytea?');

/**
 * The sessions of days that are over, packed by website, day of UTC of the first event, country and device: a column of
 * bytes for each field and each unit, laid out as `session-days` of the domain says. They follow from `sessions` and the
 * tables of facts. A day has either all of its sessions here or, while it is open, none.
 */
export const sessionDays = meaning(
  notCompared(
    readModel(
      'session_days',
      {
        website: key('integer'),
        day: key('date'),
        country: key('integer'),
        device_type: key('integer'),
        /** How many sessions. */
        size: last('integer'),
        /** No event of its sessions is later; they may reach into later days. */
        last_at: last('timestamptz'),
        /** A hash of the bytes: rows of one key and version are equal. */
        version: last('bigint'),
        ...(Object.fromEntries([...SESSION_FIELDS, ...UNITS].map((name) => [name, packed()])) as Readonly<
          Record<(typeof SESSION_FIELDS)[number] | Unit, Column<'last'>>
        >),
      },
      [{ on: ['website', 'last_at', 'day'] }],
    ),
  ),
  VIEW_ATTRIBUTES.length,
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
    },
    [{ on: ['is_sealed', 'day'] }],
  ),
);

/** Numbers that rows of read models depend on: tables that were filled with others mean something else. */

/**
 * Version of the classification of referrers; to be raised with every change of the list or the rules, so that the tables
 * that hold its results are built anew from the referrers in the log.
 */
export const REFERRER_RULES_VERSION = 3;

/** By so much a bin of durations is wider than the one before. */
export const GAMMA = 1.02;

/** Of packed page reports: scroll depths are hundredths of a percent, 0 = not reported, else one more. */
export const REPORT_BASE = 10_002;

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
  /** How many each session has. */
  readonly counts: Int32Array;
  /** How many there are. */
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
