/** An intention or a fact: what kind, and its plain data. */
export interface Named {
  readonly type: string;
  readonly data: object;
}

/** An intention somebody has, in the imperative; time, ids and chance arrive inside of it. */
export interface Command<Type extends string, Data extends object> extends Named {
  readonly type: Type;
  readonly data: Data;
}

type DataOf<Union extends Named, Type extends Union['type']> = Extract<Union, { readonly type: Type }>['data'];

/** The rules of one thing: which events a command leads to in a state, and which state follows an event. */
export interface Decider<State, Commands extends Named, Events extends Named> {
  readonly initial: State;
  /** @throws Rejection */
  readonly decide: {
    readonly [Type in Commands['type']]: (state: State, command: DataOf<Commands, Type>) => readonly Events[];
  };
  readonly evolve: {
    readonly [Type in Events['type']]: (state: State, event: DataOf<Events, Type>) => State;
  };
}

/** Checks the shape of a decider where it is written; a missing command or event does not compile. */
export const decider = <State, Commands extends Named, Events extends Named>(
  rules: Decider<State, Commands, Events>,
): Decider<State, Commands, Events> => rules;

/** The events a command leads to after these. @throws Rejection */
export function decide<State, Commands extends Named, Events extends Named>(
  rules: Decider<State, Commands, Events>,
  history: readonly Events[],
  command: Commands,
): readonly Events[] {
  const evolve = (state: State, event: Events) => ruleOf<State, State>(rules.evolve, event)(state, event.data);
  const state = history.reduce(evolve, rules.initial);
  return ruleOf<State, readonly Events[]>(rules.decide, command)(state, command.data);
}

/** The rule for a type takes the data of that type, which the compiler cannot follow through a union. */
function ruleOf<State, Result>(rules: object, { type }: Named): (state: State, data: object) => Result {
  const rule = Object.hasOwn(rules, type) ? (rules as Record<string, unknown>)[type] : undefined;
  if (typeof rule !== 'function') throw new Error(`There is no rule for ${type}.`);
  return rule as (state: State, data: object) => Result;
}
