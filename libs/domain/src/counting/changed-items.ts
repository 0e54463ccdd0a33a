import type { Condition } from './count';
import type { Calendar } from '../sessions/calendar';
import type { Session } from '../sessions/session';
import type { Items } from './items';
import { both } from './measures';
import { Numbering } from './numbering';

/** Whose a session is, and what happens to it. */
export interface Change {
  /** 1 = it is added, -1 = it is removed, 0 = it stays. */
  readonly sign: 1 | 0 | -1;
  /** Text id. */
  readonly website: number;
  readonly calendar: Calendar;
  /** A number that only sessions of the same visitor have; -1 = none. */
  readonly visitor: number;
  /** The same number before and after a change, of no other session; -1 = an event in none. */
  readonly number: number;
}

/** A session with what happens to it. */
export interface ChangedSession extends Change {
  readonly session: Session;
}

/** What is counted of sessions that come, go or stay. */
export interface ChangedItems {
  readonly items: Items;
  /** 0 = it is left out; columns that follow say nothing of it. */
  readonly isIn: Uint8Array | Int32Array;
  /** The items of sessions that come or go, and of those that stay. */
  readonly moved: Int32Array;
  readonly staying: Int32Array;
  /** Of each item. */
  readonly signs: Int32Array;
  readonly websites: Int32Array;
  /** The local day, in days since 1970-01-01. */
  readonly days: Float64Array;
  /** Dense numbers of website and day, and of the day alone. */
  readonly buckets: Int32Array;
  readonly bucketCount: number;
  readonly dayNumbers: Int32Array;
}

const [BUCKETS, DAYS] = [new Numbering(), new Numbering()];

/** @param signsOfItems where they are not those of their sessions */
export function changedItems(
  items: Items,
  where: Condition | undefined,
  changes: readonly Change[],
  signsOfItems?: Int32Array,
): ChangedItems {
  const { size, places } = items;
  const isIn = size > 0 && where ? both(items.isIn, where.of(items)) : items.isIn;
  const [signs, websites, days] = [new Int32Array(size), new Int32Array(size), new Float64Array(size)];
  const [buckets, dayNumbers] = [new Int32Array(size), new Int32Array(size)];
  const [moved, staying] = [new Int32Array(size), new Int32Array(size)];
  let [movedCount, stayingCount] = [0, 0];
  const times = size > 0 ? items.field('at') : NO_TIMES;
  BUCKETS.clear(size);
  DAYS.clear(size);
  for (let at = 0; at < size; at++) {
    if (isIn[at] === 0) continue;
    const { sign, website, calendar } = changes[places[at] as number] as Change;
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
    ...{ items, isIn, signs, websites, days, buckets, dayNumbers },
    ...{ moved: moved.subarray(0, movedCount), staying: staying.subarray(0, stayingCount), bucketCount: BUCKETS.size },
  };
}

/** More than there are days of a batch. */
const BUCKETS_PER_WEBSITE = 2 ** 21;
const NO_TIMES = new Float64Array();
