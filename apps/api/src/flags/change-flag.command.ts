import { isDeepStrictEqual } from 'node:util';
import type { FlagName, FlagSettings } from '@ledgerline/contracts/events/flag.events';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { Flag } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/changes';
import type { OpenFlag } from '@ledgerline/domain/flags/evaluate-flag';
import { flag } from '@ledgerline/domain/flags/flag.decider';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { flagStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { ManagedFlags } from './managed-flags';
import { sealedFlag } from './open-flag';
import { RuleSealing } from './rule-sealing';

export type FlagChanges = Partial<Omit<OpenFlag, keyof FlagName>>;

/** Updates a flag, or deletes it if there are no changes to make (null); answers null for a deleted one. */
export class ChangeFlag extends Command<CommandResult<Flag | null>> {
  constructor(
    readonly flagId: string,
    readonly changes: FlagChanges | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

interface Changed {
  readonly flag: Flag | null;
  readonly history: readonly Recorded[];
}

@CommandHandler(ChangeFlag)
export class ChangeFlagHandler implements ICommandHandler<ChangeFlag> {
  constructor(
    private readonly flags: ManagedFlags,
    private readonly sealing: RuleSealing,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ flagId, changes, context }: ChangeFlag): Promise<CommandResult<Flag | null>> {
    const current = await this.flags.find(flagId, context.caller, 'flags:write');
    const type = changes === null ? 'DeleteFlag' : 'UpdateFlag';
    const started = await this.idempotency.start(context, type, { flagId, ...changes }, flagId);
    const command =
      changes === null
        ? ({ type: 'DeleteFlag', data: { flagId } } as const)
        : ({ type: 'UpdateFlag', data: { flagId, changes: await this.sealed(current, changes) } } as const);
    const answer = (registry: () => Registry, history: readonly Recorded[]): Changed | undefined => {
      const after = changes === null ? null : registry().flag(flagId);
      return after === undefined ? undefined : { flag: after, history };
    };
    const written = await this.runner.run({ decider: flag, stream: flagStream(current), command, answer }, started);
    const { flag: after, history } = written.entry;
    // also what an update that did not get here has left
    if (!changes || changes.rules) await this.sealing.destroyAllBut(after && sealedFlag(after), history);
    return written.as(() => after);
  }

  /** Values are encrypted anew each time, so rules that stay the same are no change. */
  private async sealed(current: Flag, changes: FlagChanges): Promise<Partial<FlagSettings>> {
    const { rules } = changes;
    if (!rules) return omit(changes, 'rules');
    const [opened] = await this.flags.open([current]);
    if (isDeepStrictEqual(opened?.rules, rules)) return omit(changes, 'rules');
    return { ...changes, ...(await this.sealing.seal(sealedFlag(current), rules)) };
  }
}
