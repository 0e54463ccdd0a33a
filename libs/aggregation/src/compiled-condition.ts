import { textsPass, type Criterion } from '@ledgerline/contracts/criterion';
import type { ConditionKind } from '@ledgerline/contracts/definitions';
import { KINDS } from '@ledgerline/contracts/read-models/event-kinds';
import {
  type Numbers,
  type Unit,
  SESSION_FLAG,
  type SessionChunk,
} from '@ledgerline/contracts/read-models/session-days';
import { dropUnmatched, type SelectedSessions, type ValueFilter, type CountRequest } from './scope';
import { integers } from './scratch';
import { selectedUnits } from './select-sessions';

/** A condition as columns of sessions decide it. */
export interface CompiledCondition {
  readonly kind: ConditionKind;
  /** All must hold, of each one of its alternatives. */
  readonly filters: readonly (readonly CompiledAlternative[])[];
  /** The properties of custom events, which columns lack. */
  readonly facts?: PropertyFacts;
  /** Clicks on short links that their visitors made before: columns named {@link REPEAT_KEYS}. */
  readonly repeats?: readonly Float64Array[];
}

/** Ids that a field of the unit has, or a number or property whose text passes. */
export type CompiledAlternative =
  | ValueFilter
  | { readonly of: 'micros' | { readonly property: string }; readonly criterion: Criterion };

/** Custom events with any of some properties, in the order of time and id; by these columns they are found among units. */
export interface PropertyFacts {
  /** Columns named {@link FACT_KEYS}. */
  readonly keys: readonly Float64Array[];
  /** By property: the place of the text among the values; -1 = the event does not have it. */
  readonly places: Readonly<Record<string, Int32Array>>;
  /** Values as JSON. */
  readonly values: readonly string[];
}

/** The columns that tell an event apart: of its session, and its own. */
export const FACT_KEYS = ['visitor', 'first_at', 'duration_ms', 'at', 'name', 'path'] as const;

/** The columns that tell a click apart: of its session, and its own. */
export const REPEAT_KEYS = ['visitor', 'first_at', 'duration_ms', 'at', 'link'] as const;

const UNIT_OF_KIND = Object.fromEntries(
  KINDS.flatMap(({ unit, condition, facts }) => [{ unit, condition }, { ...facts }]).flatMap(({ unit, condition }) =>
    condition ? [[condition, unit]] : [],
  ),
) as Readonly<Record<ConditionKind, Unit>>; // each is declared with its unit

export const unitOfKind = (kind: ConditionKind): Unit => UNIT_OF_KIND[kind];

type Sessions = Pick<SelectedSessions, 'unit'>;

/** 1 for each unit of the condition's kind that meets it. */
export function unitsMeeting(condition: CompiledCondition, sessions: Sessions): Uint8Array {
  const { size, field } = sessions.unit(unitOfKind(condition.kind));
  const marks = new Uint8Array(size).fill(1);
  for (const alternatives of condition.filters) {
    const [only] = alternatives;
    if (only && alternatives.length === 1 && 'values' in only) {
      dropUnmatched(sessions.unit(unitOfKind(condition.kind)).field(only.field), only, marks);
      continue;
    }
    const tests = alternatives.map((each) => testOf(each, condition, sessions));
    for (let at = 0; at < size; at++) if (marks[at] === 1 && !tests.some((test) => test(at))) marks[at] = 0;
  }
  if (condition.kind === 'form_submit') {
    const submits = field('form_submits');
    for (let at = 0; at < size; at++) if ((submits[at] ?? 0) === 0) marks[at] = 0;
  }
  if (condition.repeats) dropRepeats(condition.repeats, sessions, marks);
  return marks;
}

/** Drops repeated clicks: of those that agree in all keys, the last ones are those that were made before. */
function dropRepeats(repeats: readonly Float64Array[], sessions: Sessions, marks: Uint8Array): void {
  const left = new Map<string, number>();
  for (let row = 0; row < (repeats[0]?.length ?? 0); row++) {
    const key = keyAt(repeats, row);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  const columns = REPEAT_KEYS.map(sessions.unit('link_clicks').field);
  for (let at = marks.length - 1; at >= 0 && left.size > 0; at--) {
    const key = keyAt(columns, at);
    const count = left.get(key);
    if (count === undefined) continue;
    marks[at] = 0;
    if (count === 1) left.delete(key);
    else left.set(key, count - 1);
  }
}

/** For each unit of their kinds a bit (from the lowest) for each of at most 32 conditions that it meets. */
export function conditionsMet(
  conditions: readonly CompiledCondition[],
  sessions: Sessions,
): ReadonlyMap<Unit, Int32Array> {
  const met = new Map<Unit, Int32Array>();
  const byField = new Map<string, IdBits>();
  for (const [nth, condition] of conditions.entries()) {
    const unit = unitOfKind(condition.kind);
    const bits = met.get(unit) ?? integers(sessions.unit(unit).size);
    met.set(unit, bits);
    const [only, ...others] = condition.filters.flat();
    if (only && others.length === 0 && 'values' in only && !only.negated && isOfFiltersAlone(condition)) {
      const ofField = byField.get(`${unit} ${only.field}`) ?? {
        unit,
        field: only.field,
        bits: new Map<number, number>(),
      };
      byField.set(`${unit} ${only.field}`, ofField);
      for (const id of only.values) ofField.bits.set(Number(id), (ofField.bits.get(Number(id)) ?? 0) | (1 << nth));
    } else {
      const marks = unitsMeeting(condition, sessions);
      for (let at = 0; at < marks.length; at++) if (marks[at] === 1) bits[at] = (bits[at] ?? 0) | (1 << nth);
    }
  }
  for (const { unit, field, bits } of byField.values())
    addIdBits(sessions.unit(unit).field(field), bits, met.get(unit));
  return met;
}

/** Returns whether nothing beside its filters says which units meet a condition. */
const isOfFiltersAlone = ({ kind }: CompiledCondition): boolean => kind !== 'form_submit' && kind !== 'link_click';

/** The bits of conditions that compare a field with ids alone, which are decided together. */
interface IdBits {
  readonly unit: Unit;
  readonly field: string;
  readonly bits: Map<number, number>;
}

function addIdBits(ids: Numbers, bits: ReadonlyMap<number, number>, to: Int32Array = new Int32Array()): void {
  const byId = integers([...bits.keys()].reduce((most, id) => Math.max(most, id), 0) + 1);
  for (const [id, added] of bits) byId[id] = added;
  for (let at = 0; at < to.length; at++) {
    const id = ids[at] as number;
    const isKnown = (id - byId.length) >> 31; // all bits, or none
    to[at] = (to[at] as number) | ((byId[id & isKnown] as number) & isKnown);
  }
}

type Test = (at: number) => boolean;

function testOf(alternative: CompiledAlternative, condition: CompiledCondition, sessions: Sessions): Test {
  if ('values' in alternative) {
    const ids = sessions.unit(unitOfKind(condition.kind)).field(alternative.field);
    const wanted = new Set(alternative.values.map(Number));
    return (at) => wanted.has(ids[at] ?? 0) !== alternative.negated;
  }
  const { of, criterion } = alternative;
  const isPassing = remembered((text: string) => textsPass(criterion, [text]));
  if (of === 'micros') {
    const micros = sessions.unit('vitals').field('micros');
    return (at) => isPassing(String((micros[at] ?? 0) / MICRO));
  }
  const { places, values } = propertyOfUnits(condition, of.property, sessions);
  const passing = values.map((value) => isPassing(textOfJson(value)));
  const isMissingPassing = isPassing('');
  return (at) => passing[places[at] ?? -1] ?? isMissingPassing;
}

const MICRO = 1_000_000;

function remembered<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text) ?? make(text);
    known.set(text, found);
    return found;
  };
}

/** A value of a property as rows show it. */
export const textOfJson = (json: string): string => (json.startsWith('"') ? (JSON.parse(json) as string) : json);

/** Returns for each custom event the place of a property's value. @throws Error for a property that was not read */
export function propertyOfUnits(
  condition: CompiledCondition,
  property: string,
  sessions: Sessions,
): { readonly places: Int32Array; readonly values: readonly string[] } {
  const { facts } = condition;
  const ofFacts = facts?.places[property];
  if (!facts || !ofFacts) throw new Error(`The property ${property} was not read.`);
  const rows = rowsOfUnits(facts, sessions);
  return { places: Int32Array.from(rows, (row) => (row < 0 ? -1 : (ofFacts[row] ?? -1))), values: facts.values };
}

const known = new WeakMap<PropertyFacts, Int32Array>();

/**
 * The fact of each custom event; -1 = none. Facts that agree in all keys are of one session and in its order, or of
 * sessions that differ in nothing.
 */
function rowsOfUnits(facts: PropertyFacts, sessions: Sessions): Int32Array {
  const found = known.get(facts) ?? findRows(facts, sessions);
  known.set(facts, found);
  return found;
}

function findRows({ keys }: PropertyFacts, sessions: Sessions): Int32Array {
  const { size, field } = sessions.unit('custom_events');
  const rows = new Map<string, number[]>();
  for (let row = (keys[0]?.length ?? 0) - 1; row >= 0; row--) {
    const key = keyAt(keys, row);
    const same = rows.get(key);
    if (same) same.push(row);
    else rows.set(key, [row]);
  }
  const columns = FACT_KEYS.map(field);
  const hasProperties = field('has_properties');
  const found = new Int32Array(size).fill(-1);
  for (let at = 0; at < size; at++) if (hasProperties[at] === 1) found[at] = rows.get(keyAt(columns, at))?.pop() ?? -1; // the last one comes first
  return found;
}

const keyAt = (columns: readonly { readonly [at: number]: number }[], at: number): string =>
  columns.map((column) => column[at] ?? 0).join(' ');

/** A criterion that sessions of a segment met, or did not meet. */
export interface SegmentCriterion {
  readonly condition: CompiledCondition;
  /** In the session itself, or in any of its visitor in the range. */
  readonly within: 'session' | 'range';
  readonly isNegated: boolean;
}

/**
 * 1 for each session of which all of this holds in the range, whatever filters select. A session without a visitor is its
 * own; events in no session did nothing, and are not among those that did not either.
 */
export function sessionsInSegment(
  chunk: SessionChunk,
  { from, to }: Pick<CountRequest, 'from' | 'to'>,
  deeds: readonly SegmentCriterion[],
): Uint8Array {
  const unit = selectedUnits(chunk, { filters: [], from, to });
  const visitors = chunk.field('visitor');
  const flags = chunk.field('flags');
  const isIn = Uint8Array.from(flags, (flag) => (flag & SESSION_FLAG.single ? 0 : 1));
  for (const { condition, within, isNegated } of deeds) {
    const { isIn: isInRange, places } = unit(unitOfKind(condition.kind));
    const did = new Uint8Array(chunk.size);
    const visitorsWhoDid = new Set<number>();
    for (const [at, mark] of unitsMeeting(condition, { unit }).entries()) {
      if (mark === 0 || isInRange[at] === 0) continue;
      const place = places[at] ?? 0;
      did[place] = 1;
      if (within === 'range' && (visitors[place] ?? -1) >= 0) visitorsWhoDid.add(visitors[place] ?? -1);
    }
    for (let place = 0; place < chunk.size; place++) {
      const hasDone = did[place] === 1 || visitorsWhoDid.has(visitors[place] ?? -1);
      if (hasDone === isNegated) isIn[place] = 0;
    }
  }
  return isIn;
}
