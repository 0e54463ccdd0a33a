import { Injectable } from '@nestjs/common';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { FlagEnvironment, FlagRule, RuleCondition } from '@ledgerline/contracts/events/flag.events';
import type { Flag } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/decider';
import { conditionsOf, type OpenCondition, type OpenRule } from '@ledgerline/domain/flags/flag-rules';
import {
  FlagValues,
  type RuleValues,
  type SealedValue,
  type ValueOwner,
} from '@ledgerline/platform/personal-data/sealed-values';

/** A flag as people see it, with the values of its rules in the clear. */
type OpenedFlag = Omit<Flag, 'rules' | 'ruleValues' | 'variantRanges' | 'environments'> & {
  readonly rules: readonly OpenRule[];
  readonly environments: readonly FlagEnvironment[];
};

/** A flag as those who encrypt and decrypt the values of its rules take it. */
export const sealedFlag = ({
  id,
  organizationId,
  ruleValues: sealed,
}: Pick<Flag, 'id' | 'organizationId' | 'ruleValues'>): SealedValue => ({ organizationId, id, sealed });

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

/** Rules as events hold them. */
interface SealedRules {
  readonly rules: readonly FlagRule[];
  readonly ruleValues: string | null;
}

/** Encrypts the values of rules for events, and makes those unreadable that are no longer in force. */
@Injectable()
export class RuleSealing {
  constructor(private readonly values: FlagValues) {}

  async seal(flag: ValueOwner, rules: readonly OpenRule[]): Promise<SealedRules> {
    const values = valuesOf(rules);
    const ruleValues = values.some(({ length }) => length > 0) ? await this.values.seal(flag, values) : null;
    return { rules: rules.map(withoutValues), ruleValues };
  }

  async open(flags: readonly Flag[]): Promise<readonly OpenedFlag[]> {
    const values = await this.values.open(flags.map(sealedFlag));
    return flags.map((flag) => openFlag(flag, values.get(flag.ruleValues ?? '')));
  }

  /** Leaves of a stream the values of this flag, null = of none. */
  destroyAllBut(flag: SealedValue | null, history: readonly Recorded[]): Promise<void> {
    const earlier = history.flatMap(sealedIn).filter(({ sealed }) => sealed !== flag?.sealed);
    return this.values.destroy(earlier);
  }
}

const withoutValues = ({ and, ...rule }: OpenRule): FlagRule => ({
  ...omit(rule, 'values'),
  ...(and && { and: and.map((condition) => omit(condition, 'values')) }),
});

const sealedIn = (event: Recorded): readonly SealedValue[] =>
  event.type === 'FlagCreated' || event.type === 'FlagUpdated'
    ? [sealedFlag({ ...event.data, id: event.data.flagId })]
    : [];
