import type { ApiKey } from '@ledgerline/contracts/records';
import {
  apiKey,
  type DeleteApiKey,
  type RevokeApiKey,
  type UpdateApiKey,
} from '@ledgerline/domain/api-keys/api-key.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { apiKeyStream } from '@ledgerline/platform/event-store/streams';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../commands/command-context';
import { CommandRunner, deleted } from '../commands/command-runner';
import { IdempotencyStore } from '../commands/idempotency-store';
import type { CommandResult } from '../commands/command-result';
import { assertResources, ManagedKeys } from './managed-keys';

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
