import type { FlagRule, RuleOperator } from '@ledgerline/contracts/events/flag.events';

/** A rule with its values in the clear. */
export type OpenRule = FlagRule & { readonly values: readonly string[] };

/** For whom a flag is evaluated, as clients say it: JSON of any type. */
export interface FlagContext {
  readonly userId?: unknown;
  readonly email?: unknown;
  readonly organizationId?: unknown;
  readonly teamId?: unknown;
  readonly environment?: unknown;
  readonly properties: Readonly<Record<string, unknown>>;
}

const MAX_ATTRIBUTE = 120;
const ATTRIBUTE = /^(userId|email|properties\.[A-Za-z0-9_.-]+)$/;
const PROPERTY = 'properties.';

export const isAttribute = (text: string): boolean => text.length <= MAX_ATTRIBUTE && ATTRIBUTE.test(text);

/** `exists` compares with nothing; every other operator needs at least one value. */
export const needsValues = (operator: RuleOperator): boolean => operator !== 'exists';

/** The first rule that matches; a rule about an attribute that the context does not have never matches. */
export const matchingRule = (rules: readonly OpenRule[], context: FlagContext): OpenRule | undefined =>
  rules.find((rule) => matches(rule, context));

function matches({ attribute, operator, values }: OpenRule, context: FlagContext): boolean {
  const held = attributeOf(context, attribute);
  if (held === undefined) return false;
  if (attribute !== 'email') return OPERATORS[operator](held, values);
  // addresses are the same however their letters are written
  return OPERATORS[operator](
    held.toLowerCase(),
    values.map((value) => value.toLowerCase()),
  );
}

function attributeOf({ userId, email, properties }: FlagContext, attribute: string): string | undefined {
  if (attribute === 'userId') return nameIn(userId);
  if (attribute === 'email') return nameIn(email);
  const name = attribute.slice(PROPERTY.length);
  return Object.hasOwn(properties, name) ? textOf(properties[name]) : undefined;
}

/** The id, address or name in a field of the context; an empty one is none. */
export const nameIn = (value: unknown): string | undefined => textOf(value) || undefined;

/** Numbers and booleans are compared as their texts; lists, objects and null are no attribute. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

type Comparison = (held: string, values: readonly string[]) => boolean;

const isAny: Comparison = (held, values) => values.includes(held);

const OPERATORS: Readonly<Record<RuleOperator, Comparison>> = {
  equals: isAny,
  in: isAny,
  not_in: (held, values) => !values.includes(held),
  contains: (held, values) => values.some((value) => held.includes(value)),
  starts_with: (held, values) => values.some((value) => held.startsWith(value)),
  ends_with: (held, values) => values.some((value) => held.endsWith(value)),
  exists: () => true,
};
