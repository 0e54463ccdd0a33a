import { createPublicKey, type KeyObject } from 'node:crypto';
import { orUnavailable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore, SealedHead } from './event-store';
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
    return (await this.heads(organization)).signed;
  }

  /** The signed head and the kept one, with the keys that they may be signed with. @throws LogUnavailable */
  async heads(organization: string): Promise<Heads> {
    const [stored, kept] = await Promise.all([this.store.chainHead(organization), this.keptHead(organization)]);
    const keys = await this.publicKeys(); // read last: every key is kept before it signs
    const newest = stored && this.signed(organization, stored, keys);
    const signed = kept && kept.revision > (newest?.revision ?? -1) ? kept : newest;
    return { signed, kept, keys };
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

  private signed(organization: string, head: SealedHead, keys: PublicKeys): SignedHead {
    const { revision, hash, signature, signedAt = '', keyId = '' } = head;
    const isValid = () => verifySealedHead(organization, head, keys) === 'valid';
    if (signature === undefined || (signedAt === '' && isValid()))
      return signHead(this.key, organization, head, new Date());
    const isChanged = head.statement !== undefined && !isValid(); // in what else its seal says
    return { organization, revision, hash, signedAt, keyId, signature: isChanged ? '' : signature };
  }
}

interface Heads {
  readonly signed: SignedHead | null;
  readonly kept: SignedHead | null;
  readonly keys: PublicKeys;
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
