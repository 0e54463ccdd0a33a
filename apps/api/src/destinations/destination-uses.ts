import { Injectable } from '@nestjs/common';
import type { Destination } from '@ledgerline/contracts/records';
import { type DestinationUse, destinationUse } from '@ledgerline/domain/audit/audit-log.decider';
import { destinationUseStream } from '@ledgerline/platform/event-store/event-store';
import { type CommandContext, IdempotencyStore, newPrefixedId } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import type { PlainData } from '../http/record.dto';
import type { RetryDto } from './delivery.dto';

/** Records what is done with destinations and changes nothing of them. */
@Injectable()
export class DestinationUses {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
  ) {}

  test({ organizationId, id: destinationId }: Destination, context: CommandContext): Promise<void> {
    const about = { organizationId, destinationId };
    return this.record(about, context, (useId) => ({ type: 'TestDestination', data: { ...about, useId } }));
  }

  retry(
    { organizationId, id: destinationId }: Destination,
    { deliveryIds = null, from = null, to = null }: PlainData<RetryDto>,
    context: CommandContext,
  ): Promise<void> {
    const about = { organizationId, destinationId, deliveryIds, from, to };
    return this.record(about, context, (useId) => ({ type: 'RetryDeliveries', data: { ...about, useId } }));
  }

  private async record(
    about: { readonly organizationId: string },
    context: CommandContext,
    commandOf: (useId: string) => DestinationUse,
  ): Promise<void> {
    const { type } = commandOf('');
    const started = await this.idempotency.start(context, type, about, newPrefixedId('use'));
    const stream = destinationUseStream(about.organizationId, started.id);
    const command = commandOf(started.id);
    await this.runner.run({ decider: destinationUse, stream, command, answer: () => null }, started);
  }
}
