import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Destination } from '@ledgerline/contracts/records';
import { renderMessage } from '@ledgerline/domain/messages/message-text';
import type { Settings } from '@ledgerline/platform/config/settings';
import { sendWebhook } from '@ledgerline/platform/outbound/webhook';
import type { CommandContext } from '../commands/command-context';
import type { Plain } from '../http/record.dto';
import { Records } from '../resources/resource.queries';
import { SETTINGS } from '../tokens';
import type { TestAnswerDto } from './delivery.dto';
import { DestinationUses } from './destination-uses';
import { Destinations } from './destinations';

/** Sends a message that is not kept, and answers what came back. */
export class TestDestination extends Command<Plain<TestAnswerDto>> {
  constructor(
    readonly id: string,
    readonly context: CommandContext,
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(TestDestination)
export class TestDestinationHandler implements ICommandHandler<TestDestination> {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly found: Records,
    private readonly destinations: Destinations,
    private readonly uses: DestinationUses,
  ) {}

  async execute({ id, context, signal }: TestDestination): Promise<Plain<TestAnswerDto>> {
    const destination = await this.found.find(this.destinations, id, context.caller, 'destinations:test');
    await this.uses.test(destination, context);
    const target = await this.destinations.target(destination);
    const { status, text } = await sendWebhook(target, testMessage(destination), this.settings, signal);
    return { status, text };
  }
}

const TEST = 'destination.test';

function testMessage({ id: destinationId, organizationId, kind, name, format }: Destination) {
  const id = randomUUID();
  const target = { type: 'destination', id: destinationId, name };
  const data = { id, organizationId, destinationId, target };
  const body = renderMessage(format, { type: TEST, timestamp: new Date().toISOString(), data });
  return kind === 'audit'
    ? { id, contentType: 'application/x-ndjson', body: `${body}\n` }
    : { id, contentType: 'application/json', body };
}
