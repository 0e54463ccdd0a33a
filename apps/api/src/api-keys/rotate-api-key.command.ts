import type { ApiKey } from '@ledgerline/contracts/records';
import { apiKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { startOf } from '@ledgerline/platform/api-keys/secret';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { apiKeyStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { ManagedKeys } from './managed-keys';

/** As with CreateApiKey, the secret's keyed hash is written first, then the event names it. */
export class RotateApiKey extends Command<CommandResult<ApiKey>> {
  constructor(
    readonly keyId: string,
    readonly secret: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RotateApiKey)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKey> {
  constructor(
    private readonly keys: ManagedKeys,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    private readonly secrets: SecretStore,
  ) {}

  async execute({ keyId, secret, context }: RotateApiKey): Promise<CommandResult<ApiKey>> {
    const { organizationId } = await this.keys.find(keyId, context.caller);
    const started = await this.idempotency.start(context, 'RotateApiKey', { keyId }, keyId);
    const { secretId } = await this.secrets.add(secret, { keyId, secretId: newId('sec') });
    return this.runner.run(
      {
        decider: apiKey,
        stream: apiKeyStream(organizationId, keyId),
        command: { type: 'RotateApiKey', data: { secretId, start: startOf(secret) } },
        answer: (registry) => registry().key(keyId),
      },
      started,
    );
  }
}
