import { Injectable } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import { SecretStore, type FoundSecret } from '@ledgerline/platform/api-keys/secret-store';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';

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
