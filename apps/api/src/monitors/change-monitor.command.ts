import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { Monitor } from '@ledgerline/contracts/records';
import { monitor, type MonitorCommand } from '@ledgerline/domain/monitors/monitor.decider';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { monitorStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { HeaderSealing } from './header-sealing';
import { ManagedMonitors } from './managed-monitors';
import type { MonitorChanges } from './monitor-settings.dto';

/** Updates a monitor, or deletes it if there are no changes to make (null); answers null for a deleted one. */
export class ChangeMonitor extends Command<CommandResult<Monitor | null>> {
  constructor(
    readonly monitorId: string,
    readonly changes: MonitorChanges | null,
    readonly context: CommandContext,
  ) {
    super();
  }
}

interface Changed {
  readonly monitor: Monitor | null;
  readonly history: readonly Recorded[];
}

@CommandHandler(ChangeMonitor)
export class ChangeMonitorHandler implements ICommandHandler<ChangeMonitor> {
  constructor(
    private readonly monitors: ManagedMonitors,
    private readonly sealing: HeaderSealing,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ monitorId: id, changes, context }: ChangeMonitor): Promise<CommandResult<Monitor | null>> {
    const current = await this.monitors.find(id, context.caller, 'monitors:write');
    if (changes?.url !== undefined) this.monitors.assertPublic(changes.url);
    const command: MonitorCommand =
      changes === null
        ? { type: 'DeleteMonitor', data: {} }
        : { type: 'UpdateMonitor', data: { changes: await this.sealing.sealChanges(current, changes) } };
    const started = await this.idempotency.start(context, command.type, { id, ...changes }, id);
    const answer = (registry: () => Registry, history: readonly Recorded[]): Changed | undefined => {
      const after = changes === null ? null : registry().monitor(id);
      return after === undefined ? undefined : { monitor: after, history };
    };
    const stream = monitorStream(current.organizationId, id);
    const written = await this.runner.run({ decider: monitor, stream, command, answer }, started);
    const { monitor: after, history } = written.entry;
    // also what an update that did not get here has left
    if (!changes || changes.headers) await this.sealing.destroyAllBut(after, history);
    return written.as(() => after);
  }
}
