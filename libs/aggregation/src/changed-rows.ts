import type { AggregateCondition } from '@ledgerline/contracts/aggregates/aggregate';
import { kindOfHit, KINDS } from '@ledgerline/contracts/read-models/event-kinds';
import {
  ID_WORD_BASE,
  type Numbers,
  type SessionField,
  UNIT_FIELDS,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import type { Calendar } from '@ledgerline/contracts/sessions/local-session';
import { pageVisitsOf } from '@ledgerline/contracts/sessions/local-session';
import { addValues, type Session, inOrder, type SessionHit } from '@ledgerline/contracts/sessions/session';
import { marksOf } from './aggregate-terms';
import { intersectMasks, DenseCodes, take } from './columns';
import { type RowSet, isSessionField } from './row-sources';
import type { SelectedUnits } from './scope';
import { remember } from './scratch';

/** The owner of a session, and what happens to it. */
export interface SessionChange {
  /** 1 = it is added, -1 = it is removed, 0 = it stays. */
  readonly sign: 1 | 0 | -1;
  /** Text id. */
  readonly website: number;
  readonly calendar: Calendar;
  /** A number that only sessions of the same visitor have; -1 = none. */
  readonly visitor: number;
  /** A number that a session has before and after a change, and no other has; -1 = an event in none. */
  readonly number: number;
}

/** A session with what happens to it. */
export interface ChangedSession extends SessionChange {
  readonly session: Session;
}

/** The rows that are counted of sessions that come, go or stay. */
export interface ChangedRows {
  readonly items: RowSet;
  /** 0 = it is left out; columns that follow say nothing of it. */
  readonly isIn: Uint8Array | Int32Array;
  /** The items of sessions that come or go, and of those that stay. */
  readonly moved: Int32Array;
  readonly staying: Int32Array;
  /** The sign of each item. */
  readonly signs: Int32Array;
  readonly websites: Int32Array;
  /** The local day, in days since 1970-01-01. */
  readonly days: Float64Array;
  /** Dense numbers of website and day, and of the day alone. */
  readonly buckets: Int32Array;
  readonly bucketCount: number;
  readonly dayNumbers: Int32Array;
}

const BUCKETS = new DenseCodes();
const DAYS = new DenseCodes();

/** @param signsOfItems where they are not those of their sessions */
export function changedRowsOf(
  items: RowSet,
  where: AggregateCondition | undefined,
  changes: readonly SessionChange[],
  signsOfItems?: Int32Array,
): ChangedRows {
  const { size, places } = items;
  const isIn = size > 0 && where ? intersectMasks(items.isIn, marksOf(where, items)) : items.isIn;
  const signs = new Int32Array(size);
  const websites = new Int32Array(size);
  const days = new Float64Array(size);
  const buckets = new Int32Array(size);
  const dayNumbers = new Int32Array(size);
  const moved = new Int32Array(size);
  const staying = new Int32Array(size);
  let movedCount = 0;
  let stayingCount = 0;
  const times = size > 0 ? items.field('at') : NO_TIMES;
  BUCKETS.clear(size);
  DAYS.clear(size);
  for (let at = 0; at < size; at++) {
    if (isIn[at] === 0) continue;
    const { sign, website, calendar } = changes[places[at] as number] as SessionChange;
    const day = calendar.day(times[at] as number);
    const own = signsOfItems ? (signsOfItems[at] as number) : sign;
    signs[at] = own;
    websites[at] = website;
    days[at] = day;
    const number = DAYS.numberOf(day);
    dayNumbers[at] = number;
    buckets[at] = BUCKETS.numberOf(website * BUCKETS_PER_WEBSITE + number);
    if (own === 0) staying[stayingCount++] = at;
    else moved[movedCount++] = at;
  }
  return {
    items,
    isIn,
    signs,
    websites,
    days,
    buckets,
    dayNumbers,
    moved: moved.subarray(0, movedCount),
    staying: staying.subarray(0, stayingCount),
    bucketCount: BUCKETS.size,
  };
}

/** More than there are days of a batch. */
const BUCKETS_PER_WEBSITE = 2 ** 21;
const NO_TIMES = new Float64Array();

/** Units with what happens to each. */
export interface SignedUnits {
  readonly units: SelectedUnits;
  readonly signs: Int32Array;
}

/** The kinds of hits that units are, with nothing that depends on the others of their session. */
export const KIND_OF_UNIT: Readonly<Partial<Record<Unit, number>>> = Object.fromEntries(
  KINDS.flatMap(({ unit, number }) => (unit ? [[unit, number]] : [])),
);

/** Nothing is kept by the attributes of page views, so they are not known. */
const fieldsOf = (name: Unit): readonly string[] => (name === 'views' ? AT_AND_PATH : UNIT_FIELDS[name]);
const AT_AND_PATH = ['at', 'path'];

/**
 * Returns for each session the place of the one that it replaces, or is replaced by, if both have the same attributes;
 * -1 = none.
 */
export function twinsOf(changed: readonly ChangedSession[]): Int32Array {
  const twins = new Int32Array(changed.length).fill(-1);
  const removed = new Map<number, number>();
  for (const [at, { sign, number }] of changed.entries()) if (sign === -1 && number >= 0) removed.set(number, at);
  for (const [at, { sign, number, session }] of changed.entries()) {
    const before = sign === 1 ? removed.get(number) : undefined;
    if (before === undefined || changed[before]?.session.attributes !== session.attributes) continue;
    twins[at] = before;
    twins[before] = at;
  }
  return twins;
}

/**
 * Finds the units that differ, as what a session has as before only stays: most of those that change get one hit more.
 */
export function differingUnits(
  changed: readonly ChangedSession[],
  twins: Int32Array,
  name: Unit,
  field: (name: SessionField) => Numbers,
): SignedUnits {
  const rows = new UnitRows(fieldsOf(name));
  const signs = [] as number[];
  const wanted = KIND_OF_UNIT[name];
  for (let at = 0; at < changed.length; at++) {
    const { session, sign } = changed[at] as ChangedSession;
    const twin = changed[twins[at] as number]?.session;
    if (!twin) {
      addUnits(rows, at, session, name);
      while (signs.length < rows.size) signs.push(sign);
      continue;
    }
    let other = 0;
    for (const hit of session.hits) {
      while (other < twin.hits.length && inOrder(twin.hits[other] as SessionHit, hit) < 0) other++;
      const stays = twin.hits[other] === hit;
      if (hit.kind !== wanted || (stays && sign === -1)) continue;
      rows.addHit(at, hit);
      signs.push(stays ? 0 : sign);
    }
  }
  return { units: rows.columns(changed.length, field), signs: Int32Array.from(signs) };
}

export function unitsOf(
  changed: readonly ChangedSession[],
  name: Unit,
  field: (name: SessionField) => Numbers,
): SelectedUnits {
  const rows = new UnitRows(fieldsOf(name));
  for (let at = 0; at < changed.length; at++) addUnits(rows, at, (changed[at] as ChangedSession).session, name);
  return rows.columns(changed.length, field);
}

/** Without the hits of the session where they are not needed, as they may not be decoded yet. */
function addUnits(rows: UnitRows, place: number, session: Session, name: Unit): void {
  const { pageviews, customEvents, outgoingLinks, enteredAt, entryPath } = session;
  if (name === 'views') {
    if (pageviews === 1 && enteredAt !== null) rows.add(place, enteredAt, entryPath);
    else if (pageviews > 0) addHits(rows, place, session, name);
  } else if (name === 'custom_events') {
    if (customEvents > 0) addHits(rows, place, session, name);
  } else if (name === 'outgoing_links') {
    if (outgoingLinks > 0) addHits(rows, place, session, name);
  } else if (
    (name === 'errors' || name === 'visits') &&
    session.hits.length > pageviews + customEvents + outgoingLinks
  ) {
    if (name === 'errors') addHits(rows, place, session, name);
    else
      for (const { at, path, hostname, timeMs, scroll, interactions } of pageVisitsOf(session))
        rows.add(place, at, path, hostname, timeMs, scroll, interactions);
  }
}

function addHits(rows: UnitRows, place: number, { hits }: Session, name: Unit): void {
  const wanted = KIND_OF_UNIT[name];
  for (const hit of hits) if (hit.kind === wanted) rows.addHit(place, hit);
}

/** The words of an event's id, as in `UNIT_FIELDS`. */
const wordsOf = ({ id }: SessionHit): readonly number[] =>
  [0, 8, 16, 24].map((from) => Number.parseInt(id.slice(from, from + 8), 16) - ID_WORD_BASE);

/** The units of a kind, which come session by session. */
export class UnitRows {
  private readonly places: number[] = [];
  private readonly values: number[] = [];

  constructor(private readonly names: readonly string[]) {}

  get size(): number {
    return this.places.length;
  }

  add(place: number, ...row: readonly number[]): void {
    this.places.push(place);
    for (let nth = 0; nth < row.length; nth++) this.values.push(row[nth] as number);
  }

  addHit(place: number, hit: SessionHit): void {
    this.places.push(place);
    const { values, names } = this;
    values.push(hit.at, hit.path);
    if (names === AT_AND_PATH) return;
    values.push(hit.hostname);
    addValues(values, hit);
    if (kindOfHit(hit.kind)?.hasId) values.push(...wordsOf(hit));
  }

  /** Returns the columns of so many sessions, with their fields. */
  columns(sessions: number, ofSession: (name: SessionField) => Numbers): SelectedUnits {
    const { names, values } = this;
    const places = new Int32Array(this.places);
    const counts = new Int32Array(sessions);
    const every = new Uint8Array(places.length).fill(1);
    for (let at = 0; at < places.length; at++)
      counts[places[at] as number] = (counts[places[at] as number] as number) + 1;
    const field = remember((name: string): Numbers => {
      if (isSessionField(name)) return take(ofSession(name), places);
      const nth = names.indexOf(name);
      if (nth < 0) throw new RangeError(`There is no field ${name}.`);
      const column = new Float64Array(places.length);
      for (let at = 0; at < column.length; at++) column[at] = values[at * names.length + nth] as number;
      return column;
    });
    return { size: places.length, counts, places, isSelected: every, isIn: every, field };
  }
}
