import type { KeyCaller } from '@ledgerline/domain/access/caller';
import { keyCaller } from '@ledgerline/domain/access/key-caller';
import type { Directory, Website } from '@ledgerline/domain/directory/directory';
import type { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { orUnavailable } from '@ledgerline/platform/database/unavailable';

/** Websites and keys from memory. For what memory does not know, it first hears everything decided until now. */
export class Registry {
  constructor(
    private readonly directory: Pick<Directory, 'website' | 'key'>,
    private readonly secrets: Pick<SecretStore, 'find' | 'noteUse'>,
    /** Resolves when all that was decided before the call is in the directory. */
    private readonly catchUp: () => Promise<void>,
  ) {}

  /** At once when it is known. */
  website(id: string): Website | undefined | Promise<Website | undefined> {
    return this.directory.website(id) ?? this.newWebsite(id);
  }

  /** The caller of a key, or undefined for a secret that is not (or no longer) one. */
  async caller(secret: string): Promise<KeyCaller | undefined> {
    const found = await orUnavailable('The store of keys', () => this.secrets.find(secret));
    if (found === undefined) return undefined;
    if (this.directory.key(found.keyId)?.secretId !== found.secretId) await this.catchUp();
    const caller = keyCaller(this.directory.key(found.keyId), found.secretId, new Date());
    if (caller !== undefined) this.secrets.noteUse(found.secretId);
    return caller;
  }

  private async newWebsite(id: string): Promise<Website | undefined> {
    if (!id.startsWith('site_')) return undefined;
    await this.catchUp();
    return this.directory.website(id);
  }
}
