import type { ApiKey } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { Caller } from '@ledgerline/domain/access/caller';
import { websiteIn } from '@ledgerline/domain/api-keys/api-key.decider';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { SecretStore, type FoundSecret } from '@ledgerline/platform/api-keys/secret-store';
import { assertMay } from '../auth/assert-may';
import { invalid, notFound } from '../http/problems';

/** Keys as those who manage them find them. */
@Injectable()
export class ManagedKeys {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  /** Also a key that another process created a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(keyId: string, caller: Caller): Promise<ApiKey> {
    if (!this.registry.key(keyId)) await this.live.catchUp();
    const key = this.registry.key(keyId);
    if (!key) throw notFound('API key');
    assertMay(caller, 'api-keys:manage', { organizationId: key.organizationId }, 'API key');
    return key;
  }
}

/** @throws Problem VALIDATION_ERROR when resources name a website that is not the organization's */
export function assertResources(
  registry: Registry,
  organizationId: string,
  resources: ApiKeyDetails['resources'] | undefined,
): void {
  const unknown = Object.keys(resources ?? {}).filter((name) => {
    const website = websiteIn(name);
    return website !== undefined && registry.website(website)?.organizationId !== organizationId;
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
      const key = this.registry.key(keyId);
      return key?.secretId === secretId && key.revokedAt === null;
    };
    return this.secrets.sweep(isLive, new Date(now.getTime() - ORPHAN_AGE_MS));
  }
}
