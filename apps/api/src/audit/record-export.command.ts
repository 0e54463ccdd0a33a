import type { AuditLogExported } from '@ledgerline/contracts/events/audit-log.events';
import { auditLogExport } from '@ledgerline/domain/audit/audit-log.decider';
import { exportStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';

/** Answers the id of the command, by which its event is found. */
export class RecordExport extends Command<string> {
  constructor(
    readonly wanted: Omit<AuditLogExported['data'], 'exportId'>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RecordExport)
export class RecordExportHandler implements ICommandHandler<RecordExport> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  async execute({ wanted, context }: RecordExport): Promise<string> {
    const { organizationId } = wanted;
    assertMay(context.caller, 'audit:read', { organizationId });
    const started = await this.idempotency.start(context, 'ExportAuditLog', wanted, newId('exp'));
    const command = { type: 'ExportAuditLog', data: { ...wanted, exportId: started.id } } as const;
    const stream = exportStream(organizationId, started.id);
    await this.runner.run({ decider: auditLogExport, stream, command, answer: () => null }, started);
    return started.commandId;
  }
}
