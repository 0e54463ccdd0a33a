import { SealedValues } from './sealed-values';
import type { SubjectKeys } from './subject-keys';

/** The values of each rule of a flag. */
export type RuleValues = readonly (readonly string[])[];

/** What the values belong to: encrypted values that are put into another flag cannot be read. */
export interface FlagOfValues {
  readonly organizationId: string;
  readonly flagId: string;
}

/** Null = there are no values. */
export interface SealedFlag extends FlagOfValues {
  readonly ruleValues: string | null;
}

/** The values of rules of flags, which may be ids and addresses of people. */
export class FlagValues {
  private readonly values: SealedValues<RuleValues>;

  constructor(keys: Pick<SubjectKeys, 'inUse' | 'find' | 'destroy'>) {
    this.values = new SealedValues(keys);
  }

  /** @throws LogUnavailable */
  seal({ organizationId, flagId }: FlagOfValues, values: RuleValues): Promise<string> {
    return this.values.seal({ organizationId, id: flagId }, values);
  }

  /** The values by their sealed text, with one request for all keys; absent = they cannot be read any more. @throws LogUnavailable */
  open(flags: readonly SealedFlag[]): Promise<ReadonlyMap<string, RuleValues>> {
    return this.values.open(flags.map(sealedOf));
  }

  /** Makes values unreadable for ever; may be repeated. @throws LogUnavailable */
  destroy(flags: readonly SealedFlag[]): Promise<void> {
    return this.values.destroy(flags.map(sealedOf));
  }
}

const sealedOf = ({ organizationId, flagId, ruleValues }: SealedFlag) => ({
  organizationId,
  id: flagId,
  sealed: ruleValues,
});
