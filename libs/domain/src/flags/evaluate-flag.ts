import type { FlagDetails, FlagRollout, RolloutUnit } from '@ledgerline/contracts/events/flag.events';
import type { Json } from '@ledgerline/contracts/json';
import { type FlagContext, type OpenRule, matchingRule, nameIn } from './flag-rules';
import { BUCKETS, rolloutBucket, plainRanges, variantAt } from './variant-ranges';

/** A flag with the values of its rules in the clear. */
export type OpenFlag = Omit<FlagDetails, 'rules' | 'ruleValues'> & { readonly rules: readonly OpenRule[] };

/** The fields of a flag that its evaluation depends on. */
export type EvaluatedFlag = Pick<
  OpenFlag,
  'key' | 'type' | 'defaultValue' | 'payload' | 'rollout' | 'variants' | 'variantRanges' | 'rules'
>;

export const FLAG_REASONS = [
  'USER_RULE_MATCH',
  'MULTIVARIANT_EVALUATED',
  'ROLLOUT_ENABLED',
  'ROLLOUT_DISABLED',
  'BOOLEAN_DEFAULT',
  'FLAG_NOT_FOUND',
] as const;

/** The evaluation of a flag for a context. */
export interface FlagResult {
  readonly enabled: boolean;
  readonly value: Json;
  /** The payload of the flag while it is enabled. */
  readonly payload: Json;
  readonly reason: (typeof FLAG_REASONS)[number];
  /** The key of the variant. */
  readonly variant?: string;
}

export const FLAG_NOT_FOUND: FlagResult = { enabled: false, value: false, payload: null, reason: 'FLAG_NOT_FOUND' };

/** Rules, then variants, then rollout, then default. */
export function evaluateFlag(flag: EvaluatedFlag, context: FlagContext): FlagResult {
  const result = unpaid(flag, context);
  return { ...result, payload: result.enabled ? flag.payload : null };
}

type Unpaid = Omit<FlagResult, 'payload'>;

function unpaid(flag: EvaluatedFlag, context: FlagContext): Unpaid {
  // drawn apart from rollout and variants: the half of a rule has all variants, and no flag is named so
  const isIncluded = (rollout: FlagRollout) => isRolledOut(`${flag.key}:rules`, rollout, context);
  const rule = matchingRule(flag.rules, context, isIncluded);
  if (rule) return { ...forced(flag, context, rule.enabled), reason: 'USER_RULE_MATCH' };
  const variant = variantFor(flag, context);
  if (variant) return { ...variant, reason: 'MULTIVARIANT_EVALUATED' };
  if (flag.type === 'rollout' && flag.rollout) {
    const enabled = isRolledOut(flag.key, flag.rollout, context);
    return { enabled, value: enabled, reason: enabled ? 'ROLLOUT_ENABLED' : 'ROLLOUT_DISABLED' };
  }
  return { enabled: flag.defaultValue === true, value: flag.defaultValue, reason: 'BOOLEAN_DEFAULT' };
}

/** A multivariant flag has a value of its own kind: the variant of those whom a rule lets in, else the default. */
function forced(flag: EvaluatedFlag, context: FlagContext, enabled: boolean): Omit<Unpaid, 'reason'> {
  if (flag.type !== 'multivariant') return { enabled, value: enabled };
  const variant = enabled ? variantFor(flag, context) : undefined;
  return variant ?? { enabled, value: flag.defaultValue };
}

function variantFor(
  { type, key, variants, variantRanges }: EvaluatedFlag,
  context: FlagContext,
): { enabled: true; value: Json; variant: string } | undefined {
  const unit = type === 'multivariant' ? unitOf(context, 'user') : undefined;
  if (unit === undefined) return undefined;
  const variant = variantAt(variantRanges ?? plainRanges(variants), rolloutBucket(key, unit));
  const chosen = variants.find((each) => each.key === variant);
  return chosen && { enabled: true, value: chosen.value, variant: chosen.key };
}

/** Without a unit there is no bucket: then only a rollout to all includes it. */
function isRolledOut(drawn: string, { percentage, by }: FlagRollout, context: FlagContext): boolean {
  const unit = unitOf(context, by);
  if (unit === undefined) return percentage >= 100;
  return rolloutBucket(drawn, unit) < (percentage / 100) * BUCKETS;
}

function unitOf({ userId, email, organizationId, teamId }: FlagContext, by: RolloutUnit): string | undefined {
  const units = { user: nameIn(userId) ?? nameIn(email)?.toLowerCase(), organization: organizationId, team: teamId };
  return nameIn(units[by]);
}

/**
 * The flags that a client of a website is given: the active ones of this environment. A flag of the website hides the
 * one of its organization with the same key, also where it is not given itself.
 */
export function flagsOfWebsite<Flag extends FlagDetails>(
  flags: readonly Flag[],
  websiteId: string,
  environment: string | undefined,
): readonly Flag[] {
  const own = flags.filter((flag) => flag.websiteId === websiteId);
  const hidden = new Set(own.map(({ key }) => key));
  const shared = flags.filter((flag) => flag.websiteId === null && !hidden.has(flag.key));
  return [...shared, ...own].filter((flag) => isGiven(flag, environment));
}

function isGiven(flag: FlagDetails, environment: string | undefined): boolean {
  const { status, environment: only, environments = [] } = flag;
  const own = environments.find(({ name }) => name === environment);
  return status !== 'archived' && (own?.status ?? status) === 'active' && (only === null || only === environment);
}
