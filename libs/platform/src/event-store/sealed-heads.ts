import type { PublicKeys, SignedHead } from './head-statement';
import { orUnavailable } from '../database/database-errors';
import { run, type Queryable } from '../database/pool';
import { emptySql, sql, type Sql } from '../database/sql';
import { readPublicKeys, readSealedHead } from './head-signer';

/** The newest head of each organization that a sealer has signed, in Postgres: outside the store that holds the seals. */
export class SealedHeads {
  constructor(private readonly database: Queryable) {}

  /** @throws LogUnavailable, as all others do */
  newest(organization: string): Promise<SignedHead | null> {
    return orUnavailable('The table of sealed heads', () => readSealedHead(this.database, organization));
  }

  /** Of all heads, in order, a page at a time. */
  async *organizations(pageSize = 500): AsyncGenerator<string, void> {
    for (let last = ''; ;) {
      const page = await orUnavailable('The table of sealed heads', () => this.organizationsAfter(last, pageSize));
      yield* page;
      last = page.at(-1) ?? last;
      if (page.length < pageSize) return;
    }
  }

  /** Unless a newer one is kept. */
  async keep(head: SignedHead): Promise<void> {
    await this.write(head, sql`where kept.revision < excluded.revision`);
  }

  /** Also in place of a newer one. */
  async replace(head: SignedHead): Promise<void> {
    await this.write(head, emptySql);
  }

  publicKeys(): Promise<PublicKeys> {
    return orUnavailable('The table of signing keys', () => readPublicKeys(this.database));
  }

  private async organizationsAfter(last: string, limit: number): Promise<string[]> {
    const rows = await run<{ organization: string }>(
      this.database,
      sql`select organization from sealed_heads where organization > ${last} order by organization limit ${limit}`,
    );
    return rows.map(({ organization }) => organization);
  }

  private write(
    { organization, revision, hash, signedAt, keyId, signature }: SignedHead,
    where: Sql,
  ): Promise<unknown> {
    return orUnavailable('The table of sealed heads', () =>
      run(
        this.database,
        sql`
          insert into sealed_heads as kept (organization, revision, hash, signed_at, key_id, signature)
          values (${organization}, ${revision}, ${hash}, ${signedAt}, ${keyId}, ${signature})
          on conflict (organization) do update set revision = excluded.revision, hash = excluded.hash,
            signed_at = excluded.signed_at, key_id = excluded.key_id, signature = excluded.signature
          ${where}`,
      ),
    );
  }
}
