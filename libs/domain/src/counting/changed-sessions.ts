import type { Count } from './count';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import {
  ID_WORD_BASE,
  SESSION_FLAG,
  UNIT_FIELDS,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { remember } from '../session-days/scratch';
import { pageVisitsOf } from '../sessions/page-visits';
import type { Attribute, Session } from '../sessions/session';
import type { SessionHit } from '../sessions/session-hit';
import type { LookedUp, Question } from './asked';
import { changedItems, type Change, type ChangedItems } from './changed-items';
import { gathered } from './columns';
import { itemsOf } from './count-of';
import { groupsOf, visitorOrder } from './groups';
import { isSessionField } from './items';
import type { SelectedSessions, SelectedUnits } from './selected-sessions';

/** Of a visitor whose sessions are not all given: those that are farther away than others that stay are left out. */
export interface History {
  /** The days on which sessions come or go. */
  readonly since: number;
  readonly until: number;
  /** The last day of those left out before them, and the first one of those after them; infinite without any. */
  readonly earlierUntil: number;
  readonly laterSince: number;
}

/** Sessions, or facts alone, of any websites as columns, with what happens to each. */
export interface ChangedSessions {
  readonly size: number;
  /** By session: -1 for none. */
  readonly visitors: Int32Array;
  readonly numbers: Int32Array;
  readonly visitorCount: number;
  readonly numberCount: number;
  readonly itemsOf: (count: Count) => ChangedItems;
  /** By visitor. */
  readonly histories: ReadonlyMap<number, History>;
  /** All sessions of the visitors with a history. */
  readonly whole: () => ChangedSessions;
}

export interface ChangedSession extends Change {
  readonly session: Session;
}

/** Everything that happened. */
const EVERYTHING: Question = {
  ...{ from: -Infinity, to: Infinity, buckets: [] },
  ...{ filters: [], metricFilters: [], minSamples: 0 },
};

/**
 * @param lookup see `Asked`
 * @param left of visitors of whom sessions are left out
 */
export function changedSessions(
  changed: readonly ChangedSession[],
  lookup: readonly LookedUp[],
  left: Partial<Pick<ChangedSessions, 'histories' | 'whole'>> = {},
): ChangedSessions {
  const isCounted = new Uint8Array(changed.length);
  for (let at = 0; at < changed.length; at++) isCounted[at] = changed[at]?.session.enteredAt === null ? 0 : 1;
  const field = remember((name: SessionField) => fieldOf(changed, name));
  const units = { isCounted, field, unit: remember((name: Unit) => unitsOf(changed, name, field)) };
  return asChanged(changed, units, lookup, left);
}

/** Units that are no part of a session as it is stored. */
export type FactUnit = 'vitals' | 'spans';

/** A fact by the fields of its unit; nothing is known of its session. */
export interface ChangedFact extends Change {
  readonly unit: FactUnit;
  readonly fact: Readonly<Record<string, number>>;
}

export function changedFacts(changed: readonly ChangedFact[]): ChangedSessions {
  const field = remember((): Numbers => new Float64Array(changed.length));
  const unit = remember((name: Unit) => {
    const rows = new UnitRows(UNIT_FIELDS[name]);
    for (let at = 0; at < changed.length; at++) {
      const { unit: kind, fact } = changed[at] as ChangedFact;
      if (kind === name) rows.add(at, ...UNIT_FIELDS[name].map((of) => fact[of] ?? -1));
    }
    return rows.columns(changed.length, field);
  });
  return asChanged(changed, { isCounted: new Uint8Array(changed.length), field, unit }, []);
}

function asChanged(
  changed: readonly Change[],
  of: Pick<SelectedSessions, 'isCounted' | 'field' | 'unit'>,
  lookup: readonly LookedUp[],
  {
    histories = new Map(),
    whole = () => changedSessions([], []),
  }: Partial<Pick<ChangedSessions, 'histories' | 'whole'>> = {},
): ChangedSessions {
  const size = changed.length;
  const [visitors, numbers] = [new Int32Array(size), new Int32Array(size)];
  let [visitorCount, numberCount] = [0, 0];
  for (let at = 0; at < size; at++) {
    const { visitor, number } = changed[at] as Change;
    [visitors[at], numbers[at]] = [visitor, number];
    visitorCount = Math.max(visitorCount, visitor + 1);
    numberCount = Math.max(numberCount, number + 1);
  }
  const byVisitor = (places: Int32Array) => visitorOrder(groupsOf(visitors))(places);
  const asked = { sessions: { size, ...of, byVisitor }, question: EVERYTHING, lookup };
  const known = new Map<Count['of'], Map<Count['where'], ChangedItems>>();
  return {
    ...{ size, visitors, numbers, visitorCount, numberCount, histories, whole },
    itemsOf(count) {
      const ofSource = known.get(count.of) ?? new Map<Count['where'], ChangedItems>();
      known.set(count.of, ofSource);
      const found = ofSource.get(count.where) ?? changedItems(itemsOf(count, asked), count.where, changed);
      ofSource.set(count.where, found);
      return found;
    },
  };
}

function fieldOf(changed: readonly ChangedSession[], name: SessionField): Numbers {
  const values = new Float64Array(changed.length);
  for (let at = 0; at < values.length; at++) values[at] = numberOf((changed[at] as ChangedSession).session, name);
  return values;
}

function numberOf(session: Session, name: SessionField): number {
  if (name === 'first_at') return session.firstAt;
  if (name === 'duration_ms') return session.durationMs;
  if (name !== 'flags') return session.attributes?.[name as Attribute] ?? 0;
  return (session.bounced ? SESSION_FLAG.bounced : 0) | (session.kind === SESSION_KIND.none ? SESSION_FLAG.single : 0);
}

function unitsOf(
  changed: readonly ChangedSession[],
  name: Unit,
  field: (name: SessionField) => Numbers,
): SelectedUnits {
  const rows = new UnitRows(UNIT_FIELDS[name]);
  for (let at = 0; at < changed.length; at++) addUnits(rows, at, (changed[at] as ChangedSession).session, name);
  return rows.columns(changed.length, field);
}

/** Without the hits of the session where they are not needed, as they may not be decoded yet. */
function addUnits(rows: UnitRows, place: number, session: Session, name: Unit): void {
  const { pageviews, customEvents, outgoingLinks, enteredAt, entryPath } = session;
  if (name === 'views') {
    if (pageviews === 1 && enteredAt !== null) rows.add(place, enteredAt, entryPath, 0);
    else if (pageviews > 0) addHits(rows, place, session, HIT.view);
  } else if (name === 'custom_events') {
    if (customEvents > 0) addHits(rows, place, session, HIT.custom);
  } else if (name === 'outgoing_links') {
    if (outgoingLinks > 0) addHits(rows, place, session, HIT.outgoing);
  } else if (
    (name === 'errors' || name === 'visits') &&
    session.hits.length > pageviews + customEvents + outgoingLinks
  ) {
    if (name === 'errors') addHits(rows, place, session, HIT.error);
    else
      for (const { at, path, timeMs, scroll, interactions } of pageVisitsOf(session))
        rows.add(place, at, path, timeMs, scroll, interactions);
  }
}

/** Query strings of page views are not known, as nothing is kept by them. */
function addHits(rows: UnitRows, place: number, { hits }: Session, wanted: number): void {
  for (const hit of hits) {
    const { kind, at, path, text, extra } = hit;
    if (kind !== wanted) continue;
    if (kind === HIT.view) rows.add(place, at, path, 0);
    else if (kind === HIT.outgoing) rows.add(place, at, path, text, extra, ...wordsOf(hit));
    else rows.add(place, at, path, text, extra);
  }
}

/** The words of an event's id, as in `UNIT_FIELDS`. */
const wordsOf = ({ id }: SessionHit): readonly number[] =>
  [0, 8, 16, 24].map((from) => Number.parseInt(id.slice(from, from + 8), 16) - ID_WORD_BASE);

/** The units of a kind, which come session by session. */
class UnitRows {
  private readonly places: number[] = [];
  private readonly values: number[] = [];

  constructor(private readonly names: readonly string[]) {}

  add(place: number, ...row: readonly number[]): void {
    this.places.push(place);
    for (let nth = 0; nth < row.length; nth++) this.values.push(row[nth] as number);
  }

  /** Of so many sessions, with their fields. */
  columns(sessions: number, ofSession: (name: SessionField) => Numbers): SelectedUnits {
    const { names, values } = this;
    const places = new Int32Array(this.places);
    const [counts, every] = [new Int32Array(sessions), new Uint8Array(places.length).fill(1)];
    for (let at = 0; at < places.length; at++)
      counts[places[at] as number] = (counts[places[at] as number] as number) + 1;
    const field = remember((name: string): Numbers => {
      if (isSessionField(name)) return gathered(ofSession(name), places);
      const nth = names.indexOf(name);
      if (nth < 0) throw new RangeError(`There is no field ${name}.`);
      const column = new Float64Array(places.length);
      for (let at = 0; at < column.length; at++) column[at] = values[at * names.length + nth] as number;
      return column;
    });
    return { size: places.length, counts, places, isSelected: every, isIn: every, field };
  }
}
