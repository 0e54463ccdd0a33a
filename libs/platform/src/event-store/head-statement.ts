import { hash, type KeyObject } from 'node:crypto';
import { run, type Queryable } from '../database/pool';
import { sql, type Sql } from '../database/sql';
import { canonicalJson } from './chain-hash';
import type { ChainHead, Hash } from './event-store';
import { signContent, signHead, verifySignature, type PublicKeys, type Signed, type SignedHead } from './signed-head';

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

/** What was signed at one time: the heads that had changed since the statement before. */
export type HeadStatement = Signed<{
  /** From 0, without gaps. */
  readonly number: number;
  /** Of the statement before, 64 zeros for the first. */
  readonly previous: Hash;
  readonly heads: readonly StatedHead[];
  /** Why an operator has decided that nothing before this statement counts. */
  readonly restart?: string;
}>;

type Draft = Pick<HeadStatement, 'number' | 'previous' | 'restart'> & { readonly heads: readonly UnsignedHead[] };

export function signStatement(key: KeyObject, draft: Draft, at: Date): HeadStatement {
  const heads = draft.heads.map((head) => ({
    ...head,
    signature: signHead(key, head.organization, head, at).signature,
  }));
  return signContent(key, { ...draft, heads }, at);
}

/** Of the whole statement, its signature included. */
export const statementHash = (statement: HeadStatement): Hash => hash('sha256', canonicalJson(statement), 'hex');

interface StatementRow extends Omit<HeadStatement, 'restart'> {
  readonly restart: string | null;
}

const columns = sql`number::float8, previous, heads, restart, signed_at as "signedAt", key_id as "keyId", signature`;

const select = async (database: Queryable, which: Sql): Promise<HeadStatement[]> => {
  const rows = await run<StatementRow>(database, sql`select ${columns} from head_statements ${which}`);
  return rows.map(({ restart, ...statement }) => ({ ...statement, ...(restart === null ? {} : { restart }) }));
};

/** In order. */
export const readStatements = (database: Queryable, from: number, limit: number): Promise<HeadStatement[]> =>
  select(database, sql`where number >= ${from} order by number limit ${limit}`);

export const newestStatement = async (database: Queryable): Promise<HeadStatement | undefined> =>
  (await select(database, sql`order by number desc limit 1`))[0];

/** Of the newest restart; 0 where there was none. */
export async function firstStatement(database: Queryable): Promise<number> {
  const newest = sql`select coalesce(max(number), 0)::float8 as number from head_statements where restart is not null`;
  return (await run<{ number: number }>(database, newest))[0]?.number ?? 0;
}

/**
 * False where another process has stored one with this number. Whatever the server's default is, it is on disk then:
 * what is remembered elsewhere must not be lost here.
 */
export async function insertStatement(database: Queryable, statement: HeadStatement): Promise<boolean> {
  const { number, previous, heads, restart = null, signedAt, keyId, signature } = statement;
  const inserted = await run(
    database,
    sql`insert into head_statements (number, previous, heads, restart, signed_at, key_id, signature)
        select ${number}, ${previous}, ${JSON.stringify(heads)}::jsonb, ${restart}, ${signedAt}, ${keyId}, ${signature}
        from (select set_config('synchronous_commit', 'on', true)) durable
        on conflict do nothing returning 1`,
  );
  return inserted.length > 0;
}

interface StatedHeads {
  /** The newest one; null where nothing was signed. */
  readonly newest: SignedHead | null;
  /** All that count: those since an operator has last decided that earlier ones do not. */
  readonly all: readonly ChainHead[];
}

/** The heads of an organization that were signed; `keys` are those that an operator's decision may be signed with. */
export async function readStatedHeads(
  database: Queryable,
  organization: string,
  keys: PublicKeys,
): Promise<StatedHeads> {
  const named = (head: object) => sql`heads @> ${JSON.stringify([{ organization, ...head }])}::jsonb`;
  const decisions = await select(
    database,
    sql`where restart is not null or ${named({ resealed: true })} order by number desc`,
  );
  const since = decisions.find((statement) => verifySignature(statement, keys) === 'valid')?.number ?? 0;
  const all = await run<SignedHead>(
    database,
    sql`select head ->> 'organization' as organization, (head ->> 'revision')::float8 as revision,
          head ->> 'hash' as hash, head ->> 'signature' as signature, signed_at as "signedAt", key_id as "keyId"
        from head_statements, jsonb_array_elements(heads) head
        where ${named({})} and head ->> 'organization' = ${organization} and number >= ${since}
        order by revision desc, number desc`,
  );
  return { newest: all[0] ?? null, all: all.map(({ revision, hash: signed }) => ({ revision, hash: signed })) };
}
