import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { SignedHead } from '@ledgerline/platform/event-store/head-statement';

/** Keeps a head as sealers of earlier versions did, and in place of what is kept: what signed it does not matter. */
export async function keepSealedHead(
  database: Queryable,
  { organization, revision, hash, signedAt, keyId, signature }: SignedHead,
): Promise<void> {
  await run(
    database,
    sql`insert into sealed_heads (organization, revision, hash, signed_at, key_id, signature)
        values (${organization}, ${revision}, ${hash}, ${signedAt}, ${keyId}, ${signature})
        on conflict (organization) do update set revision = excluded.revision, hash = excluded.hash,
          signed_at = excluded.signed_at, key_id = excluded.key_id, signature = excluded.signature`,
  );
}
