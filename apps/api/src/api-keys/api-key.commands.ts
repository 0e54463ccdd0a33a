import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { ApiKey } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { Caller } from '@ledgerline/domain/access/caller';
import {
  type DeleteApiKey,
  type RevokeApiKey,
  type UpdateApiKey,
  apiKey,
  websiteIn,
} from '@ledgerline/domain/api-keys/api-key.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { type FoundSecret, SecretStore, startOf } from '@ledgerline/platform/api-keys/secret-store';
import { assertMay } from '../auth/assert-may';
import { invalid, notFound } from '../http/problems';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext, type CommandResult, IdempotencyStore, deleted, newId } from '../commands/command-context';
import { CommandRunner } from '../commands/command-runner';

/** Keys as those who manage them find them. */
@Injectable()
export class ManagedKeys {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  /** Also a key that another process created a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(keyId: string, caller: Caller): Promise<ApiKey> {
    if (!this.registry.find('apiKeys', keyId)) await this.live.catchUp();
    const key = this.registry.find('apiKeys', keyId);
    if (!key) throw notFound('API key');
    assertMay(caller, 'apiKeys:write', { organizationId: key.organizationId }, 'API key');
    return key;
  }
}

/** @throws Problem VALIDATION_ERROR when resources name a website that is not the organization's */
function assertResources(
  registry: Registry,
  organizationId: string,
  resources: ApiKeyDetails['resources'] | undefined,
): void {
  const unknown = Object.keys(resources ?? {}).filter((name) => {
    const website = websiteIn(name);
    return website !== undefined && registry.find('websites', website)?.organizationId !== organizationId;
  });
  const details = unknown.map((name): FieldError => ({ field: `resources.${name}`, message: 'No such website' }));
  if (details.length > 0) throw invalid(details);
}

/** Far longer than a command can wait between its secret and its event. */
const ORPHAN_AGE_MS = 60 * 60_000;

/** Secrets that can never be accepted: of commands that failed before their event, and of keys rotated, revoked or deleted. */
@Injectable()
export class OrphanedSecrets {
  constructor(
    private readonly secrets: SecretStore,
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  /** Deletes the old ones and returns their number. @throws LogUnavailable when the registry cannot catch up */
  async sweep(now: Date): Promise<number> {
    // the secret of a new key must not look orphaned
    await this.live.catchUp();
    const isLive = ({ keyId, secretId }: FoundSecret) => {
      const key = this.registry.find('apiKeys', keyId);
      return key?.secretId === secretId && key.revokedAt === null;
    };
    return this.secrets.sweep(isLive, new Date(now.getTime() - ORPHAN_AGE_MS));
  }
}

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
    assertMay(context.caller, 'apiKeys:write', { organizationId: input.organizationId });
    assertResources(this.registry, input.organizationId, input.resources);
    const started = await this.idempotency.start(context, 'CreateApiKey', input, newId('key'));
    const { id: keyId, startedAt } = started;
    const { secretId } = await this.secrets.add(secret, { keyId, secretId: newId('sec') });
    return this.runner.run(
      {
        decider: apiKey,
        stream: RECORD_KINDS.apiKeys.stream({ organizationId: input.organizationId, id: keyId }),
        command: { type: 'CreateApiKey', data: { ...input, keyId, secretId, start: startOf(secret), startedAt } },
        answer: (registry) => registry().find('apiKeys', keyId),
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
    const answer =
      change.type === 'DeleteApiKey' ? deleted : (registry: () => Registry) => registry().find('apiKeys', keyId);
    return this.runner.run(
      { decider: apiKey, stream: RECORD_KINDS.apiKeys.stream({ organizationId, id: keyId }), command: change, answer },
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
        stream: RECORD_KINDS.apiKeys.stream({ organizationId, id: keyId }),
        command: { type: 'RotateApiKey', data: { secretId, start: startOf(secret) } },
        answer: (registry) => registry().find('apiKeys', keyId),
      },
      started,
    );
  }
}
