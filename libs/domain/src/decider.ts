import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import type { BeforeValues } from '@ledgerline/contracts/events/event';
import { isObject } from '@ledgerline/contracts/json';

/** A command or an event: its type and its plain data. */
export interface DomainMessage {
  readonly type: string;
  readonly data: object;
}

/** A command, named in the imperative; time, ids and random values are part of its data. */
export interface Command<Type extends string, Data extends object> extends DomainMessage {
  readonly type: Type;
  readonly data: Data;
}

type DataOf<Union extends DomainMessage, Type extends Union['type']> = Extract<Union, { readonly type: Type }>['data'];

/** The rules of one aggregate: the events that a command causes in a state, and the state after an event. */
export interface Decider<State, Commands extends DomainMessage, Events extends DomainMessage> {
  readonly initial: State;
  /** @throws Rejection */
  readonly decide: {
    readonly [Type in Commands['type']]: (state: State, command: DataOf<Commands, Type>) => readonly Events[];
  };
  readonly evolve: {
    readonly [Type in Events['type']]: (state: State, event: DataOf<Events, Type>) => State;
  };
}

/** Checks the type of a decider where it is defined; a missing command or event does not compile. */
export const decider = <State, Commands extends DomainMessage, Events extends DomainMessage>(
  rules: Decider<State, Commands, Events>,
): Decider<State, Commands, Events> => rules;

/** A record that a stream is of alone: before it is created, while it is there, and after it is deleted, which it stays. */
export type RecordLifecycle<Details> =
  | { readonly status: 'absent' | 'deleted' }
  | { readonly status: 'present'; readonly details: Details };

/** @throws Rejection where the record is not there */
export function requireExisting<Details>(state: RecordLifecycle<Details>, otherwise: RejectionFact): Details {
  if (state.status !== 'present') throw new Rejection(otherwise);
  return state.details;
}

/** The events that a command causes after the given ones. @throws Rejection */
export function decide<State, Commands extends DomainMessage, Events extends DomainMessage>(
  rules: Decider<State, Commands, Events>,
  history: readonly Events[],
  command: Commands,
): readonly Events[] {
  const evolve = (state: State, event: Events) => ruleOf<State, State>(rules.evolve, event)(state, event.data);
  const state = history.reduce(evolve, rules.initial);
  return ruleOf<State, readonly Events[]>(rules.decide, command)(state, command.data);
}

/** The handler of a type takes the data of that type, which the compiler cannot infer through a union. */
function ruleOf<State, Result>(rules: object, { type }: DomainMessage): (state: State, data: object) => Result {
  const rule: unknown = Object.hasOwn(rules, type) ? Reflect.get(rules, type) : undefined;
  if (typeof rule !== 'function') throw new Error(`There is no rule for ${type}.`);
  return rule as (state: State, data: object) => Result;
}

/** All fields after these changes, with the previous values of the changed ones; undefined if nothing changes. */
export function applyChanges<Fields extends object, Changes extends Partial<Fields>>(
  fields: Fields,
  changes: Changes,
): (Fields & BeforeValues<Changes>) | undefined {
  const held = new Map<string, unknown>(Object.entries(fields));
  const changed = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && !sameJson(value, held.get(name)),
  );
  if (changed.length === 0) return undefined;
  const before = Object.fromEntries(changed.map(([name]) => [name, held.get(name)])) as Partial<Changes>;
  return { ...fields, ...Object.fromEntries(changed), before };
}

/** Returns what an event changed, field by field; empty for an event that is no change of fields. */
export function changedFieldsOfEvent(
  data: object,
): Record<string, { readonly before: unknown; readonly after: unknown }> {
  const { before, ...after }: Readonly<Record<string, unknown>> = { ...data };
  if (!isObject(before)) return {};
  return Object.fromEntries(
    Object.entries(before).map(([name, value]) => [name, { before: value, after: after[name] }]),
  );
}

/** A copy without these fields. */
export function omit<Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  ...names: readonly Name[]
): Omit<Fields, Name> {
  const left = Object.entries(fields).filter(([name]) => !names.some((gone) => gone === name));
  return Object.fromEntries(left) as Omit<Fields, Name>;
}

/** True for equal plain data; the order of names does not count. */
function sameJson(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]))
  );
}

/**
 * Requires that an expiry lies after the start of the command; null = never. The start counts and not the present, so
 * that a repeated command is decided as the first time. @throws Rejection
 */
export function assertFuture(expiresAt: string | null, startedAt: Date): void {
  if (expiresAt !== null && Date.parse(expiresAt) <= startedAt.getTime()) throw new Rejection('EXPIRED', 'expiresAt');
}
