import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Destination } from '@ledgerline/contracts/records';
import { renderMessage, messageLines } from '@ledgerline/domain/messages/message-text';
import type { Settings } from '@ledgerline/platform/config/settings';
import { DeliveryMails } from '@ledgerline/platform/outbound/mail-destination';
import { sendWebhook } from '@ledgerline/platform/outbound/webhook';
import type { CommandContext } from '../commands/command-context';
import { Records } from '../commands/resource.queries';
import { conflict } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import { SETTINGS } from '../tokens';
import type { TestAnswerDto } from './delivery.dto';
import { DestinationUses } from './destination-uses';
import { Destinations } from './destinations';

/** Sends a message that is not kept, and answers what came back. */
export class TestDestination extends Command<PlainData<TestAnswerDto>> {
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
  private readonly mails: DeliveryMails;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly found: Records,
    private readonly destinations: Destinations,
    private readonly uses: DestinationUses,
  ) {
    this.mails = new DeliveryMails(settings);
  }

  async execute({ id, context, signal }: TestDestination): Promise<PlainData<TestAnswerDto>> {
    const destination = await this.found.find(this.destinations, id, context.caller, 'destinations:test');
    if (destination.consent === 'asked') throw conflict('Its address is not confirmed yet');
    if (destination.consent === 'withdrawn') throw conflict('The addressee wants no more mails');
    await this.uses.test(destination, context);
    const target = await this.destinations.target(destination);
    const message = testMessage(destination);
    const { status, text } =
      destination.kind === 'mail'
        ? await this.mails.deliver(target, { ...message, html: null, destinationId: id }, signal)
        : await sendWebhook(target, message, this.settings, signal);
    return { status, text };
  }
}

const TEST = 'destination.test';

function testMessage({ id: destinationId, organizationId, kind, name, format }: Destination) {
  const id = randomUUID();
  const target = { type: 'destination', id: destinationId, name };
  const data = { id, organizationId, destinationId, target };
  const message = { type: TEST, timestamp: new Date().toISOString(), data };
  const body = kind === 'mail' ? messageLines(message).join('\n') : renderMessage(format, message);
  return kind === 'audit'
    ? { id, contentType: 'application/x-ndjson', body: `${body}\n` }
    : { id, contentType: 'application/json', body };
}
