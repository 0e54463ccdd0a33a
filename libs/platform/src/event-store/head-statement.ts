import { type KeyObject, createHash, createPublicKey, hash, sign, verify } from 'node:crypto';
import type { JsonObject } from '@ledgerline/contracts/json';
import { type Queryable, run } from '../database/pool';
import { type Sql, sql } from '../database/sql';
import { canonicalJson } from './appended-events';
import type { ChainHead, Hash, SealedHead } from './event-store';

/** The head of an organization as it is to be signed. */
export type UnsignedHead = {
  readonly organization: string;
  readonly revision: number;
  readonly hash: Hash;
  /** An operator has decided so: the heads of this organization in earlier statements do not count any more. */
  readonly resealed?: true;
};

/** With the signature of a SignedHead over it, at the time and with the key of its statement, so that it proves alone. */
type StatedHead = UnsignedHead & { readonly signature: string };

/** A statement that was signed at one time: the heads that had changed since the statement before. */
export type HeadStatement = SignedContent<{
  /** From 0, without gaps. */
  readonly number: number;
  /** The hash of the statement before, 64 zeros for the first. */
  readonly previous: Hash;
  readonly heads: readonly StatedHead[];
  /** Why an operator has decided that nothing before this statement counts. */
  readonly restart?: string;
  /** Ids of other keys whose statements before this one count, as an operator has decided: when the key was replaced. */
  readonly keys?: readonly string[];
  /**
   * Up to where the log in an EventStoreDB is sealed: a cursor, and where there is one the digest that begins with it.
   * Of organizations without a head nothing that is older counts.
   */
  readonly sealedTo?: string;
}>;

type Draft = Pick<HeadStatement, 'number' | 'previous' | 'restart' | 'keys' | 'sealedTo'> & {
  readonly heads: readonly UnsignedHead[];
};

export function signStatement(key: KeyObject, draft: Draft, at: Date): HeadStatement {
  const heads = draft.heads.map((head) => ({
    ...head,
    signature: signHead(key, head.organization, head, at).signature,
  }));
  return signContent(key, { ...draft, heads }, at);
}

/** Returns the hash of the whole statement, its signature included. */
export const statementHash = (statement: HeadStatement): Hash => hash('sha256', canonicalJson(statement), 'hex');

interface StatementRow extends Omit<HeadStatement, 'restart' | 'keys' | 'sealedTo'> {
  readonly restart: string | null;
  readonly keys: readonly string[] | null;
  readonly sealedTo: string | null;
}

const columns = sql`number::float8, previous, heads, restart, keys, sealed_to as "sealedTo", signed_at as "signedAt",
  key_id as "keyId", signature`;

const select = async (database: Queryable, which: Sql): Promise<HeadStatement[]> => {
  const rows = await run<StatementRow>(database, sql`select ${columns} from head_statements ${which}`);
  return rows.map(({ restart, keys, sealedTo, ...statement }) => ({
    ...statement,
    ...(restart === null ? {} : { restart }),
    ...(keys === null ? {} : { keys }),
    ...(sealedTo === null ? {} : { sealedTo }),
  }));
};

/** In order. */
export const readStatements = (database: Queryable, from: number, limit: number): Promise<HeadStatement[]> =>
  select(database, sql`where number >= ${from} order by number limit ${limit}`);

export const newestStatement = async (database: Queryable): Promise<HeadStatement | undefined> =>
  (await select(database, sql`order by number desc limit 1`))[0];

/** Returns the number of the newest restart; 0 where there was none. */
export async function firstStatement(database: Queryable): Promise<number> {
  const newest = sql`select coalesce(max(number), 0)::float8 as number from head_statements where restart is not null`;
  return (await run<{ number: number }>(database, newest))[0]?.number ?? 0;
}

/**
 * False where another process has stored one with this number. Whatever the server's default is, it is on disk then:
 * what is remembered elsewhere must not be lost here.
 */
export async function insertStatement(database: Queryable, statement: HeadStatement): Promise<boolean> {
  const { number, previous, heads, restart = null, keys, sealedTo = null, signedAt, keyId, signature } = statement;
  const keyList = keys === undefined ? null : JSON.stringify(keys);
  const inserted = await run(
    database,
    sql`insert into head_statements (number, previous, heads, restart, keys, sealed_to, signed_at, key_id, signature)
        select ${number}, ${previous}, ${JSON.stringify(heads)}::jsonb, ${restart}, ${keyList}::jsonb, ${sealedTo},
          ${signedAt}, ${keyId}, ${signature}
        from (select set_config('synchronous_commit', 'on', true)) durable
        on conflict do nothing returning 1`,
  );
  return inserted.length > 0;
}

/** Reads the statements that vouch for other keys, the newest first. */
export const readVouching = (database: Queryable): Promise<HeadStatement[]> =>
  select(database, sql`where keys is not null order by number desc`);

/** The keys that a statement of this number may be signed with. */
export type TrustedKeys = (statement: number) => PublicKeys;

interface StatedHeads {
  /** All that count, the newest first, as they are stored: those since an operator has last decided that earlier ones do not. */
  readonly all: readonly (SignedHead & { readonly statement: number })[];
  /** True if there was such a decision. */
  readonly isDecided: boolean;
}

/** The heads of an organization in statements; their signatures are not looked at. */
export async function readStatedHeads(
  database: Queryable,
  organization: string,
  keysOf: TrustedKeys,
): Promise<StatedHeads> {
  const named = (head: object) => sql`heads @> ${JSON.stringify([{ organization, ...head }])}::jsonb`;
  const decisions = await select(
    database,
    sql`where restart is not null or ${named({ resealed: true })} order by number desc`,
  );
  const decision = decisions.find((statement) => verifySignature(statement, keysOf(statement.number)) === 'valid');
  const all = await run<StatedHeads['all'][number]>(
    database,
    sql`select head ->> 'organization' as organization, (head ->> 'revision')::float8 as revision,
          head ->> 'hash' as hash, head ->> 'signature' as signature, signed_at as "signedAt", key_id as "keyId",
          number::float8 as statement
        from head_statements, jsonb_array_elements(heads) head
        where ${named({})} and head ->> 'organization' = ${organization} and number >= ${decision?.number ?? 0}
          and (head ->> 'revision')::float8 >= 0
        order by revision desc, number desc`,
  );
  return { all, isDecided: decision !== undefined };
}

/** The end of an organization's hash chain at a time, signed with Ed25519; kept elsewhere, it proves the chain up to it. */
export interface SignedHead extends ChainHead {
  readonly organization: string;
  /** ISO 8601 UTC. */
  readonly signedAt: string;
  /** The id of the public key; see `keyIdOf`. */
  readonly keyId: string;
  /** Base64, of the canonical JSON (RFC 8785) of all other members. */
  readonly signature: string;
}

/** Ed25519 public keys by their ids: the present one and earlier ones. */
export type PublicKeys = ReadonlyMap<string, KeyObject>;

export type SignatureVerdict = 'valid' | 'invalid' | 'unknown_key';

/** Content with a time, the id of a key, and a signature over the canonical JSON of all of these. */
export type SignedContent<Content> = Content & Pick<SignedHead, 'signedAt' | 'keyId' | 'signature'>;

export function signContent<Content extends JsonObject>(
  key: KeyObject,
  content: Content,
  at: Date,
): SignedContent<Content> {
  const statement = { ...content, signedAt: at.toISOString(), keyId: keyIdOf(key) };
  return { ...statement, signature: sign(null, bytesOf(statement), key).toString('base64') };
}

export function verifySignature(
  { signature, ...content }: SignedContent<JsonObject>,
  keys: PublicKeys,
): SignatureVerdict {
  const key = keys.get(content.keyId);
  if (!key) return 'unknown_key';
  return verify(null, bytesOf(content), key, Buffer.from(signature, 'base64')) ? 'valid' : 'invalid';
}

export const signHead = (key: KeyObject, organization: string, { revision, hash }: ChainHead, at: Date): SignedHead =>
  signContent(key, { organization, revision, hash }, at);

export const verifySignedHead = (head: SignedHead, keys: PublicKeys): SignatureVerdict => {
  const { organization, revision, hash, signedAt, keyId, signature } = head;
  return verifySignature({ organization, revision, hash, signedAt, keyId, signature }, keys);
};

/**
 * The signatures with which a head was stored: its own, and that of its seal. The first ones had neither a time nor the
 * id of a key.
 */
export function verifySealedHead(organization: string, head: SealedHead, keys: PublicKeys): SignatureVerdict {
  const { revision, hash, signature = '', signedAt, keyId, statement } = head;
  if (statement && statement['organization'] !== organization) return 'invalid';
  const ofSeal = statement ? verifySignature(statement, keys) : 'valid';
  if (ofSeal !== 'valid') return ofSeal;
  if (signedAt !== undefined && keyId !== undefined)
    return verifySignedHead({ organization, revision, hash, signature, signedAt, keyId }, keys);
  const bytes = bytesOf({ organization, revision, hash });
  const isSigned = (key: KeyObject) => verify(null, bytes, key, Buffer.from(signature, 'base64'));
  return [...keys.values()].some(isSigned) ? 'valid' : 'invalid';
}

/** The first 16 hex digits of the SHA-256 of the public key in DER (SPKI); of a private key, those of its public key. */
export function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

export const publicKeysOf = (...keys: readonly KeyObject[]): PublicKeys =>
  new Map(keys.map((key) => [keyIdOf(key), key.type === 'private' ? createPublicKey(key) : key]));

const bytesOf = (content: JsonObject): Buffer => Buffer.from(canonicalJson(content), 'utf8');
