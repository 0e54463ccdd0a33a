import { Injectable } from '@nestjs/common';
import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { ApiKey } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { plainKey, websiteOfResourceName } from '@ledgerline/domain/api-keys/api-key.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { type FoundSecret, SecretStore, secretStart } from '@ledgerline/platform/api-keys/secret-store';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { type StartedCommand, newPrefixedId } from '../commands/command-context';
import { Resource } from '../commands/resource';
import { invalid } from '../http/problems';
import type { PlainData } from '../http/record.dto';
import { type ApiKeyDto, apiKeyDto } from './api-key.dto';

/** A secret is part of a command and of no event: its keyed hash is stored first, then the event refers to it. */
@Injectable()
export class ApiKeys extends Resource<ApiKey, ApiKeyDetails, PlainData<ApiKeyDto>> {
  readonly kind = 'apiKeys';
  readonly defaults = plainKey;

  constructor(
    private readonly registry: Registry,
    private readonly secrets: SecretStore,
  ) {
    super();
  }

  /** Refuses resources that name a website which is not the organization's. */
  override check({ organizationId, resources }: Partial<ApiKeyDetails>, _: Caller, current?: ApiKey): void {
    const owner = current?.organizationId ?? organizationId;
    const unknown = Object.keys(resources ?? {}).filter((name) => {
      const website = websiteOfResourceName(name);
      return website !== undefined && this.registry.find('websites', website)?.organizationId !== owner;
    });
    const details = unknown.map((name): FieldError => ({ field: `resources.${name}`, message: 'No such website' }));
    if (details.length > 0) throw invalid(details);
  }

  override async data(
    input: Partial<ApiKeyDetails>,
    { id: keyId, startedAt }: StartedCommand,
    _?: ApiKey,
    secret?: string,
  ): Promise<object> {
    if (secret === undefined) return input;
    const { secretId } = await this.secrets.add(secret, { keyId, secretId: newPrefixedId('sec') });
    return { ...input, secretId, start: secretStart(secret), startedAt };
  }

  override async records(keys: readonly ApiKey[]): Promise<readonly PlainData<ApiKeyDto>[]> {
    const uses = await this.secrets.lastUses(keys.map(({ id }) => id));
    return keys.map((key) => apiKeyDto(key, uses.get(key.id)));
  }
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
