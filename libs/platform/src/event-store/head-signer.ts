import { type KeyObject, createPublicKey } from 'node:crypto';
import { orUnavailable } from '../database/database-errors';
import { type Queryable, run } from '../database/pool';
import { sql } from '../database/sql';
import { BEGINNING } from '../log/log-reader';
import { GENESIS } from './appended-events';
import type { ChainHead, EventStore, SealedHead } from './event-store';
import {
  type PublicKeys,
  type SignedHead,
  type TrustedKeys,
  insertStatement,
  keyIdOf,
  newestStatement,
  publicKeysOf,
  readStatedHeads,
  readVouching,
  signStatement,
  verifySealedHead,
  verifySignature,
  verifySignedHead,
} from './head-statement';

/** The signed heads of the hash chains: those of the signed statements, and on EventStoreDB that of a newer seal. */
export class HeadSigner {
  constructor(
    private readonly store: Pick<EventStore, 'chainHead'>,
    private readonly database: Queryable,
    /** Ed25519, private. */
    private readonly key: KeyObject,
  ) {}

  /** The newest head that was signed; null where none was. Nothing is signed here. @throws LogUnavailable */
  async signedHead(organization: string): Promise<SignedHead | null> {
    return (await this.heads(organization)).signed;
  }

  /** Returns the signed head, and what else the chain has to run through. @throws LogUnavailable */
  async heads(organization: string): Promise<Heads> {
    const [stored, kept] = await Promise.all([
      this.store.chainHead(organization),
      orUnavailable('The table of sealed heads', () => readSealedHead(this.database, organization)),
    ]);
    const stated = await this.statedHeads(organization, kept);
    return stored?.signature === undefined ? stated : this.withSeal(organization, stored, stated);
  }

  /** The keys that heads were ever signed with, the present one included. @throws LogUnavailable */
  publicKeys(): Promise<PublicKeys> {
    return orUnavailable('The table of signing keys', async () => {
      await addPublicKey(this.database, this.key);
      return readStoredPublicKeys(this.database);
    });
  }

  /** Nothing rests on a head whose signature does not hold: a row of a sealer is as if it were not there. */
  private async statedHeads(organization: string, sealed: SignedHead | null): Promise<StatedHeads> {
    const { all, isDecided, keysOf } = await orUnavailable('The table of signed statements', async () => {
      const trusted = await readTrustedKeys(this.database, this.key);
      return { ...(await readStatedHeads(this.database, organization, trusted)), keysOf: trusted };
    });
    const isSigned = (head: (typeof all)[number]) => verifySignedHead(head, keysOf(head.statement)) === 'valid';
    const kept = sealed && !isDecided && verifySignedHead(sealed, keysOf(0)) === 'valid' ? [sealed] : [];
    const newest = all.find(isSigned) ?? null;
    const [first] = all;
    return {
      former: keysOf(0),
      signed: kept[0] ? newer(newest, kept[0]) : newest,
      unsigned: first && first !== newest ? first : null,
      all: [...all, ...kept],
      signedOnly: () => {
        const proven = all.filter(isSigned);
        return { heads: [...proven, ...kept], unsigned: all.find((head) => !proven.includes(head)) ?? null };
      },
    };
  }

  /** A seal above the statements counts if the key held has signed all of it; the first ones had only their head signed. */
  private withSeal(organization: string, stored: SealedHead, { former, ...stated }: StatedHeads): Heads {
    const { revision, hash, signature = '', signedAt = '', keyId = '' } = stored;
    const seal = { organization, revision, hash, signedAt, keyId, signature };
    const { signed } = stated;
    const isNewer = revision > (signed?.revision ?? -1);
    const isStated = signed?.revision === revision && signed.hash === hash;
    const isWhole = verifySealedHead(organization, stored, isNewer ? publicKeysOf(this.key) : former) === 'valid';
    const isSigned = stored.statement ? isWhole : isStated;
    return {
      signed: isSigned && isNewer ? seal : signed,
      unsigned: stated.unsigned ?? (isSigned ? null : seal),
      all: [...stated.all, stored],
      signedOnly: () => {
        const { heads, unsigned } = stated.signedOnly();
        return { heads: isSigned ? [...heads, stored] : heads, unsigned: unsigned ?? (isSigned ? null : seal) };
      },
    };
  }
}

interface Heads {
  /** The newest one. */
  readonly signed: SignedHead | null;
  /** One that is stored without a valid signature. */
  readonly unsigned: SignedHead | null;
  /** All that the chain must run through. */
  readonly all: readonly ChainHead[];
  /** Returns the signed heads, and one that is not: for a chain that does not run through all. */
  readonly signedOnly: () => { readonly heads: readonly ChainHead[]; readonly unsigned: SignedHead | null };
}

/** Longer than projectors are away while they are restarted or upgraded. */
export const SIGNED_WITHIN_MS = 5 * 60_000;

/** By the clock of this process. */
export const signedBefore = (): Date => new Date(Date.now() - SIGNED_WITHIN_MS);

interface StatedHeads extends Heads {
  /** The keys that count for what was signed before the newest statement. */
  readonly former: PublicKeys;
}

const newer = <Newest extends SignedHead | null>(newest: Newest, kept: SignedHead | null): Newest | SignedHead =>
  kept && kept.revision > (newest?.revision ?? -1) ? kept : newest;

/** Keeps the public key of a signing key; every process that signs does so before it signs. */
export async function addPublicKey(database: Queryable, key: KeyObject): Promise<void> {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  await run(
    database,
    sql`insert into signing_keys (key_id, public_key) values (${keyIdOf(key)}, ${der}) on conflict do nothing`,
  );
}

/** The log of decided events, where it is in an EventStoreDB. */
export type EventStoreReader = Pick<EventStore, 'read'>;

const isEmpty = async (database: Queryable): Promise<boolean> =>
  (await run<{ isEmpty: boolean }>(database, sql`select not exists (select from events) as "isEmpty"`))[0]?.isEmpty ??
  false;

async function hasNoEvent(log: EventStoreReader): Promise<boolean> {
  for (let after = BEGINNING; ;) {
    const { events, next, atHead } = await log.read(0, after, { max: 1 });
    if (events.length > 0) return false;
    if (atHead) return true;
    after = next;
  }
}

/**
 * Signs statement 0 of an event store that holds no event yet, so that statements which are missing later were deleted.
 * False where there is no event and the newest statement is none of the key.
 */
export async function beginStatements(database: Queryable, key: KeyObject, log?: EventStoreReader): Promise<boolean> {
  if (!(await (log ? hasNoEvent(log) : isEmpty(database)))) return true;
  await addPublicKey(database, key);
  await insertStatement(database, signStatement(key, { number: 0, previous: GENESIS, heads: [] }, new Date()));
  const stored = await newestStatement(database);
  return stored !== undefined && verifySignature(stored, publicKeysOf(key)) === 'valid';
}

/**
 * Signs statement 0 where sealers of earlier versions have kept heads that one of the keys signed, the first of which
 * signs; it says that nothing is sealed yet, which distinguishes it from that of a new installation.
 */
export async function takeOverSealedHeads(database: Queryable, keys: readonly [KeyObject, ...KeyObject[]]) {
  const [key] = keys;
  const trusted = publicKeysOf(...keys);
  const rows = await run<SignedHead>(
    database,
    sql`select ${sealedHeadColumns} from sealed_heads where key_id = any(${[...trusted.keys()]}::text[]) limit 1000`,
  );
  if (!rows.some((head) => verifySignedHead(head, trusted) === 'valid')) return;
  await addPublicKey(database, key);
  const statement = { number: 0, previous: GENESIS, heads: [], sealedTo: BEGINNING };
  await insertStatement(database, signStatement(key, statement, new Date()));
}

/** A row whose id is not that of its key, or whose key signs otherwise, is left out. */
export async function readStoredPublicKeys(database: Queryable): Promise<PublicKeys> {
  const rows = await run<{ key_id: string; public_key: Buffer }>(
    database,
    sql`select key_id, public_key from signing_keys`,
  );
  const keys = rows.map(
    (row) => [row.key_id, createPublicKey({ key: row.public_key, format: 'der', type: 'spki' })] as const,
  );
  return new Map(keys.filter(([id, key]) => keyIdOf(key) === id && key.asymmetricKeyType === 'ed25519'));
}

/** The key held, and those that it vouches for in statements before it did so; the table of keys alone does not count. */
export async function readTrustedKeys(database: Queryable, key: KeyObject): Promise<TrustedKeys> {
  const own = publicKeysOf(key);
  const vouching = (await readVouching(database)).find((statement) => verifySignature(statement, own) === 'valid');
  if (!vouching) return () => own;
  const vouched = [...(await readStoredPublicKeys(database))].filter(([id]) => vouching.keys?.includes(id));
  const former: PublicKeys = new Map([...vouched, ...own]);
  return (statement) => (statement < vouching.number ? former : own);
}

const sealedHeadColumns = sql`organization, revision::float8, hash, signed_at as "signedAt", key_id as "keyId", signature`;

/** The organizations of which a sealer of an earlier version has kept a head, in order. @throws LogUnavailable */
export async function* organizationsSealedBefore(database: Queryable): AsyncGenerator<string, void> {
  for (let last = ''; ;) {
    const next = sql`select organization from sealed_heads where organization > ${last} order by 1 limit ${PAGE}`;
    const page = await orUnavailable('The table of sealed heads', () => run<{ organization: string }>(database, next));
    for (const { organization } of page) yield organization;
    last = page.at(-1)?.organization ?? last;
    if (page.length < PAGE) return;
  }
}

const PAGE = 500;

/** @throws LogUnavailable */
export const forgetSealedHead = (database: Queryable, organization: string): Promise<void> =>
  orUnavailable('The table of sealed heads', async () => {
    await run(database, sql`delete from sealed_heads where organization = ${organization}`);
  });

/** As a sealer of an earlier version has kept it. */
export async function readSealedHead(database: Queryable, organization: string): Promise<SignedHead | null> {
  const [head] = await run<SignedHead>(
    database,
    sql`select ${sealedHeadColumns} from sealed_heads where organization = ${organization}`,
  );
  return head ?? null;
}
