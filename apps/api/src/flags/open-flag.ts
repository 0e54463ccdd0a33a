import type { Flag } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/changes';
import type { OpenRule } from '@ledgerline/domain/flags/flag-rules';
import type { RuleValues } from '@ledgerline/platform/personal-data/flag-values';

/** A flag with the values of its rules in the clear. */
export type OpenedFlag = Omit<Flag, 'rules' | 'ruleValues'> & { readonly rules: readonly OpenRule[] };

/** `values` = undefined for values that cannot be read any more. */
export const openFlag = (flag: Flag, values: RuleValues | undefined): OpenedFlag => ({
  ...omit(flag, 'ruleValues'),
  rules: flag.rules.map((rule, n) => ({ ...rule, values: values?.[n] ?? [] })),
});
