import { compare, parse } from 'semver';
import type { FlagRule, FlagRollout, RuleCondition, RuleOperator } from '@ledgerline/contracts/events/flag.events';
import { parseInstant } from '../time/instant';

/** A condition with its values in the clear. */
export type OpenCondition = RuleCondition & { readonly values: readonly string[] };

/** A rule with its values in the clear. */
export type OpenRule = Omit<FlagRule, 'and'> & OpenCondition & { readonly and?: readonly OpenCondition[] };

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
const ATTRIBUTE = /^(userId|email|organizationId|teamId|properties\.[A-Za-z0-9_.-]+)$/;
const PROPERTY = 'properties.';

export const isAttribute = (text: string): boolean => text.length <= MAX_ATTRIBUTE && ATTRIBUTE.test(text);

/** All conditions of a rule, the first of which is the rule itself. */
export const conditionsOf = <Condition extends RuleCondition>(
  rule: Condition & { readonly and?: readonly Condition[] },
): readonly Condition[] => [rule, ...(rule.and ?? [])];

/**
 * The first rule whose conditions all hold, for those in its share; a condition on an attribute that the context does
 * not have never holds.
 */
export const matchingRule = (
  rules: readonly OpenRule[],
  context: FlagContext,
  isIncluded: (rollout: FlagRollout) => boolean,
): OpenRule | undefined =>
  rules.find(
    (rule) =>
      conditionsOf<OpenCondition>(rule).every((condition) => holds(condition, context)) &&
      (!rule.rollout || isIncluded(rule.rollout)),
  );

function holds({ attribute, operator, values }: OpenCondition, context: FlagContext): boolean {
  const held = attributeOf(context, attribute);
  const { compares, ofLists } = OPERATORS[operator];
  // addresses are the same however their letters are written
  const folded = (text: string): string => (attribute === 'email' ? text.toLowerCase() : text);
  const hold = (text: string): boolean => compares(folded(text), values.map(folded));
  const texts = (ofLists && Array.isArray(held) ? held : [held]).map(textOf).filter((text) => text !== undefined);
  if (ofLists === 'every' && Array.isArray(held)) return texts.every(hold);
  return texts.some(hold);
}

function attributeOf({ properties, ...named }: FlagContext, attribute: string): unknown {
  const name = attribute.slice(PROPERTY.length);
  if (attribute.startsWith(PROPERTY)) return Object.hasOwn(properties, name) ? properties[name] : undefined;
  const held: unknown = Reflect.get(named, attribute);
  return held === '' ? undefined : held;
}

/** The id, address or name in a field of the context; an empty one is none. */
export const nameIn = (value: unknown): string | undefined => textOf(value) || undefined;

/** Numbers and booleans are compared as their texts; lists, objects and null are no attribute. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

interface Operator {
  /** With the text of an attribute. */
  readonly compares: (held: string, values: readonly string[]) => boolean;
  /** The members of a list of which the rule has to hold; absent = a list is no attribute. */
  readonly ofLists?: 'some' | 'every';
  readonly takes: (typeof VALUES)[keyof typeof VALUES];
}

/** The values that an operator takes. */
const VALUES = {
  none: { fit: ({ length }: readonly string[]) => length === 0, say: 'none' },
  texts: { fit: ({ length }: readonly string[]) => length > 0, say: 'at least one value' },
  quantity: {
    fit: ([value = '', ...more]: readonly string[]) =>
      more.length === 0 && (numberIn(value) ?? parseInstant(value)) !== undefined,
    say: 'one number, or one time such as 2030-01-31T12:00:00Z',
  },
  version: {
    fit: ([value = '', ...more]: readonly string[]) => more.length === 0 && parse(value) !== null,
    say: 'one version such as 2.10.0',
  },
} as const;

/** Returns what values an operator takes instead of these; undefined for those that it takes. */
export function wantedValues(operator: RuleOperator, values: readonly string[]): string | undefined {
  const { fit, say } = OPERATORS[operator].takes;
  return fit(values) ? undefined : say;
}

const isAny = (held: string, values: readonly string[]): boolean => values.includes(held);
const isNone = (held: string, values: readonly string[]): boolean => !values.includes(held);

/** A number as programs write it. */
function numberIn(text: string): number | undefined {
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** Above 0 where the first is greater; undefined for what cannot be compared, such as a number with a time. */
function orderOf(held: string, bound: string): number | undefined {
  for (const read of [numberIn, parseInstant]) {
    const left = read(held);
    const right = read(bound);
    if (left !== undefined && right !== undefined) return left - right;
  }
  return undefined;
}

function orderOfVersions(held: string, bound: string): number | undefined {
  const left = parse(held);
  const right = parse(bound);
  return left && right ? compare(left, right) : undefined;
}

const ordered = (order: typeof orderOf, isIt: (order: number) => boolean): Operator => ({
  compares: (held, [bound = '']) => {
    const found = order(held, bound);
    return found !== undefined && isIt(found);
  },
  takes: order === orderOf ? VALUES.quantity : VALUES.version,
});

const ofTexts = (compares: Operator['compares'], ofLists?: Operator['ofLists']): Operator => ({
  compares,
  takes: VALUES.texts,
  ...(ofLists && { ofLists }),
});

const OPERATORS: Readonly<Record<RuleOperator, Operator>> = {
  equals: ofTexts(isAny),
  in: ofTexts(isAny),
  not_in: ofTexts(isNone),
  contains: ofTexts((held, values) => values.some((value) => held.includes(value))),
  starts_with: ofTexts((held, values) => values.some((value) => held.startsWith(value))),
  ends_with: ofTexts((held, values) => values.some((value) => held.endsWith(value))),
  exists: { compares: () => true, takes: VALUES.none },
  any_of: ofTexts(isAny, 'some'),
  none_of: ofTexts(isNone, 'every'),
  gt: ordered(orderOf, (order) => order > 0),
  gte: ordered(orderOf, (order) => order >= 0),
  lt: ordered(orderOf, (order) => order < 0),
  lte: ordered(orderOf, (order) => order <= 0),
  semver_eq: ordered(orderOfVersions, (order) => order === 0),
  semver_gt: ordered(orderOfVersions, (order) => order > 0),
  semver_gte: ordered(orderOfVersions, (order) => order >= 0),
  semver_lt: ordered(orderOfVersions, (order) => order < 0),
  semver_lte: ordered(orderOfVersions, (order) => order <= 0),
};
