import type { ApiKey } from '@ledgerline/contracts/records';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import { apiKey } from '@ledgerline/domain/api-keys/api-key.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { startOf } from '@ledgerline/platform/api-keys/secret';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { apiKeyStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { assertResources } from './managed-keys';

/** The secret is part of the command and of no event: its keyed hash is stored first, then the event refers to it. */
export class CreateApiKey extends Command<CommandResult<ApiKey>> {
  constructor(
    readonly input: ApiKeyDetails,
    readonly secret: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    private readonly secrets: SecretStore,
    private readonly registry: Registry,
  ) {}

  async execute({ input, secret, context }: CreateApiKey): Promise<CommandResult<ApiKey>> {
    assertMay(context.caller, 'api-keys:manage', { organizationId: input.organizationId });
    assertResources(this.registry, input.organizationId, input.resources);
    const started = await this.idempotency.start(context, 'CreateApiKey', input, newId('key'));
    const { id: keyId, startedAt } = started;
    const { secretId } = await this.secrets.add(secret, { keyId, secretId: newId('sec') });
    return this.runner.run(
      {
        decider: apiKey,
        stream: apiKeyStream(input.organizationId, keyId),
        command: { type: 'CreateApiKey', data: { ...input, keyId, secretId, start: startOf(secret), startedAt } },
        answer: (registry) => registry().key(keyId),
      },
      started,
    );
  }
}
