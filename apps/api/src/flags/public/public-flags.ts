import type { Flag } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import { evaluateFlag, type EvaluatedFlag, type FlagResult } from '@ledgerline/domain/flags/evaluate-flag';
import { nameIn, type FlagContext } from '@ledgerline/domain/flags/flag-rules';
import { flagsOfWebsite } from '@ledgerline/domain/flags/flags-of-website';
import { Registry } from '@ledgerline/domain/registry/registry';
import { FlagValues, type RuleValues } from '@ledgerline/platform/personal-data/sealed-values';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { openRules, sealedFlag } from '../sealed-rules';

/** Evaluates flags for the clients of a website, from the registry in memory. */
@Injectable()
export class PublicFlags {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly values: FlagValues,
  ) {}

  /** By key, sorted; only those with these keys, if there are any. None for a client that is no website. */
  async evaluate(
    clientId: string,
    context: FlagContext,
    keys?: readonly string[],
  ): Promise<ReadonlyMap<string, FlagResult>> {
    let flags = this.find(clientId, context, keys);
    let values = await this.open(flags);
    if (flags.some((flag) => isUnread(flag, values))) {
      // their key may have been destroyed by a change that is not applied here yet
      await this.live.catchUp();
      flags = this.find(clientId, context, keys);
      values = await this.open(flags);
    }
    return new Map(flags.map((flag) => [flag.key, evaluateFlag(readable(flag, values), context)]));
  }

  private find(clientId: string, { environment }: FlagContext, keys?: readonly string[]): readonly Flag[] {
    const website = this.registry.website(clientId);
    if (!website) return [];
    const all = this.registry.flagsOf(website.organizationId);
    const wanted = keys ? all.filter(({ key }) => keys.includes(key)) : all;
    return flagsOfWebsite(wanted, clientId, nameIn(environment)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }

  private open(flags: readonly Flag[]): Promise<ReadonlyMap<string, RuleValues>> {
    return this.values.open(flags.map(sealedFlag));
  }
}

type Values = ReadonlyMap<string, RuleValues>;

const isUnread = ({ ruleValues }: Flag, values: Values): boolean => ruleValues !== null && !values.has(ruleValues);

/** Rules whose values cannot be read match no context; with empty lists, `not_in` would match all. */
function readable(flag: Flag, values: Values): EvaluatedFlag {
  const { key, type, defaultValue, payload, rollout, variants, variantRanges = null, ruleValues } = flag;
  const rules = isUnread(flag, values) ? [] : openRules(flag, values.get(ruleValues ?? ''));
  return { key, type, defaultValue, payload, rollout, variants, variantRanges, rules };
}
