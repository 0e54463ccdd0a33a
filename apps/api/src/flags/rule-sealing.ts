import type { FlagRule } from '@ledgerline/contracts/events/flag.events';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { Injectable } from '@nestjs/common';
import { omit } from '@ledgerline/domain/changes';
import type { OpenRule } from '@ledgerline/domain/flags/flag-rules';
import { FlagValues, type FlagOfValues, type SealedFlag } from '@ledgerline/platform/personal-data/flag-values';
import { valuesOf } from './open-flag';

/** Rules as events hold them. */
interface SealedRules {
  readonly rules: readonly FlagRule[];
  readonly ruleValues: string | null;
}

/** Encrypts the values of rules for events, and makes those unreadable that are no longer in force. */
@Injectable()
export class RuleSealing {
  constructor(private readonly values: FlagValues) {}

  async seal(flag: FlagOfValues, rules: readonly OpenRule[]): Promise<SealedRules> {
    const values = valuesOf(rules);
    const ruleValues = values.some(({ length }) => length > 0) ? await this.values.seal(flag, values) : null;
    return { rules: rules.map(withoutValues), ruleValues };
  }

  /** Leaves of a stream the values of this flag, null = of none. */
  destroyAllBut(flag: SealedFlag | null, history: readonly Recorded[]): Promise<void> {
    const earlier = history.flatMap(sealedIn).filter(({ ruleValues }) => ruleValues !== flag?.ruleValues);
    return this.values.destroy(earlier);
  }
}

const withoutValues = ({ and, ...rule }: OpenRule): FlagRule => ({
  ...omit(rule, 'values'),
  ...(and && { and: and.map((condition) => omit(condition, 'values')) }),
});

const sealedIn = (event: Recorded): readonly SealedFlag[] =>
  event.type === 'FlagCreated' || event.type === 'FlagUpdated' ? [event.data] : [];
