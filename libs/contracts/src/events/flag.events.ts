import type { Json } from '../json';
import type { BeforeValues, Event, LastValues } from './event';

export type FlagEvent = FlagCreated | FlagUpdated | FlagDeleted;

export type FlagCreated = Event<'FlagCreated', FlagDetails & { flagId: string }>;
export type FlagUpdated = Event<'FlagUpdated', FlagDetails & { flagId: string } & BeforeValues<FlagSettings>>;
/** Without the values of its rules. */
export type FlagDeleted = Event<
  'FlagDeleted',
  FlagName & { flagId: string; name: string } & LastValues<Omit<FlagSettings, 'ruleValues'>>
>;

/** The name by which a flag is found; fixed for ever. */
export interface FlagName {
  readonly organizationId: string;
  /** Null = a flag of all websites of the organization. */
  readonly websiteId: string | null;
  /** 1–100 of `[A-Za-z0-9_-]`, unique within the website or, without one, the organization. */
  readonly key: string;
}

export type FlagDetails = FlagName & FlagSettings;

/** The settings of a flag that may change. */
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
  /** Its state in some environments, in place of `status`; an archived flag has none. */
  readonly environments?: readonly FlagEnvironment[];
  /** The rollout of a flag of that type alone. */
  readonly rollout: FlagRollout | null;
  /** The variants of a multivariant flag alone. */
  readonly variants: readonly FlagVariant[];
  /** The range of each variant; null = a range for each, in their order. */
  readonly variantRanges?: readonly VariantRange[] | null;
  readonly rules: readonly FlagRule[];
  /** The values of all conditions of all rules, encrypted, because they may name people; null where there are none. */
  readonly ruleValues: string | null;
}

export const FLAG_TYPES = ['boolean', 'rollout', 'multivariant'] as const;
export type FlagType = (typeof FLAG_TYPES)[number];

/** Only active flags are evaluated. */
export const FLAG_STATUSES = ['active', 'inactive', 'archived'] as const;
export type FlagStatus = (typeof FLAG_STATUSES)[number];

export const ENVIRONMENT_STATUSES = ['active', 'inactive'] as const satisfies readonly FlagStatus[];

export type FlagEnvironment = Readonly<{
  name: string;
  status: (typeof ENVIRONMENT_STATUSES)[number];
}>;

export const ROLLOUT_UNITS = ['user', 'organization', 'team'] as const;
export type RolloutUnit = (typeof ROLLOUT_UNITS)[number];

export type FlagRollout = Readonly<{
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

/** The buckets from the end of the range before it, or 0, to before `end`. */
export type VariantRange = Readonly<{
  /** A key. */
  variant: string;
  end: number;
}>;

export type RuleCondition = Readonly<{
  /** `userId`, `email`, `organizationId`, `teamId` or `properties.<name>` */
  attribute: string;
  operator: RuleOperator;
}>;

/** Holds for those for whom all of its conditions hold. */
export type FlagRule = RuleCondition &
  Readonly<{
    /** Further conditions. */
    and?: readonly RuleCondition[];
    /** For which share of them it holds; absent = for all. */
    rollout?: FlagRollout;
    /** The value of the flag for those who match. */
    enabled: boolean;
  }>;

export const RULE_OPERATORS = [
  ...(['equals', 'contains', 'starts_with', 'ends_with', 'in', 'not_in', 'exists'] as const),
  // of lists
  ...(['any_of', 'none_of'] as const),
  // of numbers and times
  ...(['gt', 'gte', 'lt', 'lte'] as const),
  ...(['semver_eq', 'semver_gt', 'semver_gte', 'semver_lt', 'semver_lte'] as const),
] as const;
export type RuleOperator = (typeof RULE_OPERATORS)[number];
