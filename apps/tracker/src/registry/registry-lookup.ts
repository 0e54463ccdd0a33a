import type { Website } from '@ledgerline/contracts/records';
import { type KeyCaller, keyCaller } from '@ledgerline/domain/access/caller';
import type { Registry } from '@ledgerline/domain/registry/registry';
import type { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { orUnavailable } from '@ledgerline/platform/database/database-errors';
import { availableWithin } from '@ledgerline/platform/log/timing';
import type { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import type { LiveRegistry } from '@ledgerline/platform/registry/live-registry';

/** A client has its answer soon, also while a store hangs. */
export const LOOKUP_MS = 3_500;

/** Finds websites and keys in the registry; what is not there is looked up again after the registry has caught up. */
export class RegistryLookup {
  constructor(
    private readonly registry: Pick<Registry, 'website' | 'key'>,
    private readonly live: Pick<LiveRegistry, 'catchUp'>,
    private readonly lease: Pick<RegistryLease, 'whileHeld'>,
    private readonly secrets: Pick<SecretStore, 'find' | 'noteUse'>,
  ) {}

  /** Synchronous for a website in the registry. */
  website(id: string): Website | undefined | Promise<Website | undefined> {
    return this.registry.website(id) ?? this.newWebsite(id);
  }

  /** The caller of a key, or undefined for a secret that is not (or no longer) one. */
  caller(secret: string): Promise<KeyCaller | undefined> {
    return availableWithin(LOOKUP_MS, 'The store of keys', () => this.findCaller(secret));
  }

  private async findCaller(secret: string): Promise<KeyCaller | undefined> {
    const found = await orUnavailable('The store of keys', () => this.secrets.find(secret));
    if (found === undefined) return undefined;
    const key = () => this.registry.key(found.keyId);
    const caller = await this.lease.whileHeld(
      () => keyCaller(key(), found.secretId, new Date()),
      () => key()?.secretId !== found.secretId, // written before its event: the key may be new, or rotated
    );
    if (caller !== undefined) this.secrets.noteUse(found.keyId);
    return caller;
  }

  private async newWebsite(id: string): Promise<Website | undefined> {
    if (!id.startsWith('site_')) return undefined;
    await availableWithin(LOOKUP_MS, 'The event store', () => this.live.catchUp());
    return this.registry.website(id);
  }
}
