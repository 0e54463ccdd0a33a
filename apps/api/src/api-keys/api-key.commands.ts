import type { ApiKey } from '@ledgerline/contracts/records';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import {
  apiKey,
  type DeleteApiKey,
  type RevokeApiKey,
  type UpdateApiKey,
} from '@ledgerline/domain/api-keys/api-key.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { SecretStore, startOf } from '@ledgerline/platform/api-keys/secret-store';
import { apiKeyStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import { deleted, type CommandContext, type CommandResult } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';
import { IdempotencyStore, newId } from '../commands/idempotency-store';
import { assertResources, ManagedKeys } from './managed-keys';

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

/** Updates, revokes or deletes a key; answers null for a deleted one. */
export class ChangeApiKey extends Command<CommandResult<ApiKey | null>> {
  constructor(
    readonly keyId: string,
    readonly change: UpdateApiKey | RevokeApiKey | DeleteApiKey,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeApiKey)
export class ChangeApiKeyHandler implements ICommandHandler<ChangeApiKey> {
  constructor(
    private readonly keys: ManagedKeys,
    private readonly idempotency: IdempotencyStore,
    private readonly runner: CommandRunner,
    private readonly registry: Registry,
  ) {}

  async execute({ keyId, change, context }: ChangeApiKey): Promise<CommandResult<ApiKey | null>> {
    const { organizationId } = await this.keys.find(keyId, context.caller);
    if (change.type === 'UpdateApiKey') assertResources(this.registry, organizationId, change.data.changes.resources);
    const started = await this.idempotency.start(context, change.type, { keyId, ...change.data }, keyId);
    const answer = change.type === 'DeleteApiKey' ? deleted : (registry: () => Registry) => registry().key(keyId);
    return this.runner.run(
      { decider: apiKey, stream: apiKeyStream(organizationId, keyId), command: change, answer },
      started,
    );
  }
}

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
