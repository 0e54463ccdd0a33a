/**
 * The operators of definitions, which people make of a website or a question makes itself: docs/goals.md says what each
 * means.
 */

export const FILTER_OPS = [
  'eq',
  'ne',
  'contains',
  'not_contains',
  'starts_with',
  'in',
  'not_in',
  'glob',
  'gt',
  'gte',
  'lt',
  'lte',
] as const;
export type FilterOp = (typeof FILTER_OPS)[number];

/** A requirement of a field. `value` is a list with the ops `in` and `not_in` alone. */
export interface FieldFilter {
  readonly field: string;
  readonly op: FilterOp;
  readonly value: string | readonly string[];
}

/** One of them holds, decided event by event. */
export interface AnyFilter {
  readonly any: readonly FieldFilter[];
}

export type Filter = FieldFilter | AnyFilter;

/** The prefix of a field that names a property of a custom event. */
export const PROPERTY = 'property:';

/** Returns whether a field is the property of an event, which has a name. */
export const isProperty = (field: string): boolean => field.length > PROPERTY.length && field.startsWith(PROPERTY);

/** The fields that filters of a condition may name, by the kind of its events. */
export const CONDITION_FIELDS = {
  page: ['path', 'query_string', 'hostname'],
  event: ['name', 'path', PROPERTY],
  outgoing_link: ['href', 'domain', 'link_kind', 'path'],
  error: ['message', 'error_type', 'path'],
  form_submit: ['path'],
  vital: ['metric_name', 'metric_value', 'path'],
  link_click: ['link_id', 'external_id'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ConditionKind = keyof typeof CONDITION_FIELDS;

/** A requirement of an event; without filters every one of that kind is. */
export interface ConditionDefinition {
  readonly kind: ConditionKind;
  readonly filters?: readonly Filter[];
}

export interface GoalDefinition {
  readonly condition: ConditionDefinition;
  /** The value of custom events alone: the property with an amount, and its currency or the property that names it. */
  readonly value?: { readonly property: string; readonly currency?: string | { readonly property: string } } | null;
}

interface FunnelStep {
  readonly name?: string;
  readonly condition: ConditionDefinition;
}

export interface FunnelDefinition {
  /** 2 to 32. */
  readonly steps: readonly FunnelStep[];
  /** A whole number of minutes, hours or days: `30m`, `12h`, `7d`; null = by the website's ids of visitors. */
  readonly window?: string | null;
  readonly order?: 'ordered' | 'strict';
  readonly per?: 'visitor' | 'session';
}

export interface SegmentDefinition {
  readonly filters: readonly Filter[];
  readonly did: readonly {
    readonly condition: ConditionDefinition;
    readonly within: 'session' | 'range';
    readonly not?: boolean;
  }[];
}

/** The longest name of goals, funnels and segments, which are unique in a website. */
export const MAX_DEFINITION_NAME = 100;
