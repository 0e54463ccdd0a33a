import { createPublicKey, type KeyObject } from 'node:crypto';
import { orUnavailable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore } from './event-store';
import { keyIdOf, signHead, verifySealedHead, type PublicKeys, type SignedHead } from './signed-head';

/** Signs the heads of the hash chains, and keeps the public key, so that a later key can replace this one. */
export class HeadSigner {
  constructor(
    private readonly store: Pick<EventStore, 'chainHead'>,
    private readonly database: Queryable,
    /** Ed25519, private. */
    private readonly key: KeyObject,
  ) {}

  /**
   * The head of a chain as it is at the moment; null for an organization without history. Where the store keeps signed
   * heads it is the newest of these, as it is: nothing is signed that had no valid signature. It is the kept one where
   * the store has lost that.
   * @throws LogUnavailable
   */
  async signedHead(organization: string): Promise<SignedHead | null> {
    const [stored, kept] = await Promise.all([this.storedHead(organization), this.keptHead(organization)]);
    return kept && kept.revision > (stored?.revision ?? -1) ? kept : stored;
  }

  /** The newest head that a sealer has signed; null where none did, as on Postgres. @throws LogUnavailable */
  keptHead(organization: string): Promise<SignedHead | null> {
    return orUnavailable('The table of sealed heads', () => readSealedHead(this.database, organization));
  }

  /** The keys that heads were ever signed with, the present one included. @throws LogUnavailable */
  publicKeys(): Promise<PublicKeys> {
    return orUnavailable('The table of signing keys', async () => {
      await addPublicKey(this.database, this.key);
      return readPublicKeys(this.database);
    });
  }

  private async storedHead(organization: string): Promise<SignedHead | null> {
    const [keys, head] = await Promise.all([this.publicKeys(), this.store.chainHead(organization)]);
    if (!head) return null;
    const { revision, hash, signature, signedAt = '', keyId = '' } = head;
    if (signature === undefined) return signHead(this.key, organization, head, new Date());
    const isOldForm = signedAt === '' && verifySealedHead(organization, head, keys) === 'valid';
    if (isOldForm) return signHead(this.key, organization, head, new Date());
    return { organization, revision, hash, signedAt, keyId, signature };
  }
}

/** Keeps the public key of a signing key; every process that signs does so before it signs. */
export async function addPublicKey(database: Queryable, key: KeyObject): Promise<void> {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  await run(
    database,
    sql`insert into signing_keys (key_id, public_key) values (${keyIdOf(key)}, ${der}) on conflict do nothing`,
  );
}

/** A row whose id is not that of its key, or whose key signs otherwise, is left out. */
export async function readPublicKeys(database: Queryable): Promise<PublicKeys> {
  const rows = await run<{ key_id: string; public_key: Buffer }>(
    database,
    sql`select key_id, public_key from signing_keys`,
  );
  const keys = rows.map(
    (row) => [row.key_id, createPublicKey({ key: row.public_key, format: 'der', type: 'spki' })] as const,
  );
  return new Map(keys.filter(([id, key]) => keyIdOf(key) === id && key.asymmetricKeyType === 'ed25519'));
}

/** As a sealer has kept it (see sealed-heads.ts). */
export async function readSealedHead(database: Queryable, organization: string): Promise<SignedHead | null> {
  const [head] = await run<SignedHead>(
    database,
    sql`select organization, revision::float8, hash, signed_at as "signedAt", key_id as "keyId", signature
        from sealed_heads where organization = ${organization}`,
  );
  return head ?? null;
}
