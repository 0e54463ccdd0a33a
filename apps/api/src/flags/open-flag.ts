import type { Flag } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/changes';
import type { OpenRule } from '@ledgerline/domain/flags/flag-rules';
import type { RuleValues, SealedFlag } from '@ledgerline/platform/personal-data/flag-values';

/** A flag with the values of its rules in the clear. */
export type OpenedFlag = Omit<Flag, 'rules' | 'ruleValues'> & { readonly rules: readonly OpenRule[] };

/** A flag as those who encrypt and decrypt the values of its rules take it. */
export const sealedFlag = ({ id, organizationId, ruleValues }: Flag): SealedFlag => ({
  flagId: id,
  organizationId,
  ruleValues,
});

/** `values` = undefined for values that cannot be read any more. */
export const openFlag = (flag: Flag, values: RuleValues | undefined): OpenedFlag => ({
  ...omit(flag, 'ruleValues'),
  rules: openRules(flag, values),
});

export const openRules = ({ rules }: Flag, values: RuleValues | undefined): readonly OpenRule[] =>
  rules.map((rule, n) => ({ ...rule, values: values?.[n] ?? [] }));
