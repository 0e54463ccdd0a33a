import type { Json } from '../json';
import type { Before, Event, Last } from './event';

export type FlagEvent = FlagCreated | FlagUpdated | FlagDeleted;

export type FlagCreated = Event<'FlagCreated', FlagDetails & { flagId: string }>;
export type FlagUpdated = Event<'FlagUpdated', FlagDetails & { flagId: string } & Before<FlagSettings>>;
/** Without the values of its rules. */
export type FlagDeleted = Event<
  'FlagDeleted',
  FlagName & { flagId: string; name: string } & Last<Omit<FlagSettings, 'ruleValues'>>
>;

/** What a flag is found by; fixed for ever. */
export interface FlagName {
  readonly organizationId: string;
  /** Null = a flag of all websites of the organization. */
  readonly websiteId: string | null;
  /** 1–100 of `[A-Za-z0-9_-]`, unique within the website or, without one, the organization. */
  readonly key: string;
}

export type FlagDetails = FlagName & FlagSettings;

/** What may change. */
export interface FlagSettings {
  readonly name: string;
  readonly description: string | null;
  readonly type: FlagType;
  readonly status: FlagStatus;
  /** A boolean, except of a multivariant flag. */
  readonly defaultValue: Json;
  /** Given to clients together with an enabled flag. */
  readonly payload: Json;
  /** The only environment in which it exists; null = in all. */
  readonly environment: string | null;
  /** Of a rollout flag alone. */
  readonly rollout: FlagRollout | null;
  /** Of a multivariant flag alone. */
  readonly variants: readonly FlagVariant[];
  readonly rules: readonly FlagRule[];
  /** The values of all rules, encrypted, because they may name people; null where there are none. */
  readonly ruleValues: string | null;
}

export const FLAG_TYPES = ['boolean', 'rollout', 'multivariant'] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** Only active flags are evaluated. */
export const FLAG_STATUSES = ['active', 'inactive', 'archived'] as const;
export type FlagStatus = (typeof FLAG_STATUSES)[number];

export const ROLLOUT_UNITS = ['user', 'organization', 'team'] as const;
export type RolloutUnit = (typeof ROLLOUT_UNITS)[number];

type FlagRollout = Readonly<{
  /** 0–100 */
  percentage: number;
  by: RolloutUnit;
}>;

export type FlagVariant = Readonly<{
  key: string;
  value: Json;
  /** Its share is its weight by the sum of all weights. */
  weight: number;
}>;

export type FlagRule = Readonly<{
  /** `userId`, `email` or `properties.<name>` */
  attribute: string;
  operator: RuleOperator;
  /** What the flag is for those who match. */
  enabled: boolean;
}>;

export const RULE_OPERATORS = ['equals', 'contains', 'starts_with', 'ends_with', 'in', 'not_in', 'exists'] as const;
export type RuleOperator = (typeof RULE_OPERATORS)[number];
