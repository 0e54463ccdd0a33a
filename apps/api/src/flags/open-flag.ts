import type { FlagEnvironment, RuleCondition } from '@ledgerline/contracts/events/flag.events';
import type { Flag } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/changes';
import { conditionsOf, type OpenCondition, type OpenRule } from '@ledgerline/domain/flags/flag-rules';
import type { RuleValues, SealedFlag } from '@ledgerline/platform/personal-data/flag-values';

/** A flag as people see it, with the values of its rules in the clear. */
export type OpenedFlag = Omit<Flag, 'rules' | 'ruleValues' | 'variantRanges' | 'environments'> & {
  readonly rules: readonly OpenRule[];
  readonly environments: readonly FlagEnvironment[];
};

/** A flag as those who encrypt and decrypt the values of its rules take it. */
export const sealedFlag = ({ id, organizationId, ruleValues }: Flag): SealedFlag => ({
  flagId: id,
  organizationId,
  ruleValues,
});

/** `values` = undefined for values that cannot be read any more. */
export const openFlag = (flag: Flag, values: RuleValues | undefined): OpenedFlag => ({
  ...omit(flag, 'ruleValues', 'variantRanges'),
  environments: flag.environments ?? [], // rows of earlier versions have none
  rules: openRules(flag, values),
});

/** Values are in the order of the conditions of all rules. */
export function openRules({ rules }: Flag, values: RuleValues | undefined): readonly OpenRule[] {
  let at = 0;
  const open = (condition: RuleCondition): OpenCondition => ({ ...condition, values: values?.[at++] ?? [] });
  return rules.map(({ and, ...rule }) => ({ ...rule, ...open(rule), ...(and && { and: and.map(open) }) }));
}

/** As `openRules` takes them. */
export const valuesOf = (rules: readonly OpenRule[]): RuleValues =>
  rules.flatMap((rule) => conditionsOf<OpenCondition>(rule).map(({ values }) => values));
