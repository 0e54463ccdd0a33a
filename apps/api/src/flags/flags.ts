import { isDeepStrictEqual } from 'node:util';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { FlagSettings } from '@ledgerline/contracts/events/flag.events';
import type { Flag } from '@ledgerline/contracts/records';
import type { OpenFlag } from '@ledgerline/domain/flags/evaluate-flag';
import { flag, plainFlag } from '@ledgerline/domain/flags/flag.decider';
import type { OpenRule } from '@ledgerline/domain/flags/flag-rules';
import { Registry } from '@ledgerline/domain/registry/registry';
import { flagStream } from '@ledgerline/platform/event-store/streams';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Injectable } from '@nestjs/common';
import type { StartedCommand } from '../commands/idempotency-store';
import { recordOf, type Plain } from '../http/record.dto';
import { assertWebsite } from '../resources/assert-website';
import { decision, type Decision, type Resource } from '../resources/resource';
import type { FlagDto } from './flag.dto';
import { RuleSealing, sealedFlag } from './sealed-rules';

@Injectable()
export class Flags implements Resource<Flag, OpenFlag, Plain<FlagDto>> {
  static readonly commands = ['CreateFlag', 'UpdateFlag', 'DeleteFlag'] as const;
  readonly noun = 'Flag';
  readonly idPrefix = 'flag';
  readonly reads = 'flags:read';
  readonly writes = 'flags:write';
  readonly defaults = { ...plainFlag, websiteId: null };

  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly sealing: RuleSealing,
  ) {}

  entry(registry: () => Registry, id: string): Flag | undefined {
    return registry().flag(id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Flag[] {
    return registry.flagsOf(organizationId);
  }

  check(input: Partial<OpenFlag>): Promise<void> {
    return assertWebsite(this.registry, this.live, input);
  }

  async create(input: OpenFlag, { id: flagId }: StartedCommand): Promise<Decision> {
    const sealed = await this.sealing.seal({ organizationId: input.organizationId, flagId }, input.rules.map(shortest));
    return decision(flag, flagStream(input), { type: 'CreateFlag', data: { ...input, ...sealed, flagId } });
  }

  async update(given: Partial<OpenFlag>, current: Flag): Promise<Decision> {
    const data = { flagId: current.id, changes: await this.sealed(current, given) };
    return decision(flag, flagStream(current), { type: 'UpdateFlag', data });
  }

  delete(current: Flag): Decision {
    return decision(flag, flagStream(current), { type: 'DeleteFlag', data: { flagId: current.id } });
  }

  /** Makes former values of rules unreadable, also those that an update that did not get here has left. */
  async stored(changes: Partial<OpenFlag> | null, after: Flag | null, history: readonly Recorded[]): Promise<void> {
    if (!changes || changes.rules) await this.sealing.destroyAllBut(after && sealedFlag(after), history);
  }

  async records(flags: readonly Flag[]): Promise<readonly Plain<FlagDto>[]> {
    return (await this.sealing.open(flags)).map(recordOf);
  }

  /** Values are encrypted anew each time, so rules that stay the same are no change. */
  private async sealed(current: Flag, { rules, ...changes }: Partial<OpenFlag>): Promise<Partial<FlagSettings>> {
    if (!rules) return changes;
    const wanted = rules.map(shortest);
    const [opened] = await this.sealing.open([current]);
    if (isDeepStrictEqual(opened?.rules, wanted)) return changes;
    return { ...changes, ...(await this.sealing.seal(sealedFlag(current), wanted)) };
  }
}

/** Without fields that say nothing. */
const shortest = ({ and, rollout, ...rule }: OpenRule): OpenRule => ({
  ...rule,
  ...(and && and.length > 0 && { and }),
  ...(rollout && { rollout }),
});
