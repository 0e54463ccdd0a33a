import type { Flag } from '@ledgerline/contracts/records';
import type { OpenFlag } from '@ledgerline/domain/flags/evaluate-flag';
import { flag } from '@ledgerline/domain/flags/flag.decider';
import { flagStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { ManagedWebsites } from '../websites/managed-websites';
import { RuleSealing } from './rule-sealing';

export class CreateFlag extends Command<CommandResult<Flag>> {
  constructor(
    readonly input: OpenFlag,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateFlag)
export class CreateFlagHandler implements ICommandHandler<CreateFlag> {
  constructor(
    private readonly websites: ManagedWebsites,
    private readonly sealing: RuleSealing,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ input, context }: CreateFlag): Promise<CommandResult<Flag>> {
    const { organizationId, websiteId } = input;
    assertMay(context.caller, 'flags:write', input);
    if (websiteId !== null) await this.websites.assertOf(organizationId, websiteId);
    const started = await this.idempotency.start(context, 'CreateFlag', input, newId('flag'));
    const { id: flagId } = started;
    const sealed = await this.sealing.seal({ organizationId, flagId }, input.rules);
    return this.runner.run(
      {
        decider: flag,
        stream: flagStream(input),
        command: { type: 'CreateFlag', data: { ...input, ...sealed, flagId } },
        answer: (registry) => registry().flag(flagId),
      },
      started,
    );
  }
}
