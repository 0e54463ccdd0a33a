import type { Monitor } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/changes';
import { monitor } from '@ledgerline/domain/monitors/monitor.decider';
import { monitorStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { HeaderSealing } from './header-sealing';
import { ManagedMonitors } from './managed-monitors';
import type { OpenMonitor } from './monitor-settings.dto';

export class CreateMonitor extends Command<CommandResult<Monitor>> {
  constructor(
    readonly input: OpenMonitor,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateMonitor)
export class CreateMonitorHandler implements ICommandHandler<CreateMonitor> {
  constructor(
    private readonly monitors: ManagedMonitors,
    private readonly sealing: HeaderSealing,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ input, context }: CreateMonitor): Promise<CommandResult<Monitor>> {
    const { organizationId } = input;
    assertMay(context.caller, 'monitors:write', { organizationId });
    this.monitors.assertPublic(input.url);
    const started = await this.idempotency.start(context, 'CreateMonitor', input, newId('mon'));
    const { id } = started;
    const sealed = await this.sealing.seal({ organizationId, id }, input.headers);
    return this.runner.run(
      {
        decider: monitor,
        stream: monitorStream(organizationId, id),
        command: { type: 'CreateMonitor', data: { ...omit(input, 'headers'), ...sealed, monitorId: id } },
        answer: (registry) => registry().monitor(id),
      },
      started,
    );
  }
}
