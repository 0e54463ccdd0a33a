import { SqlMigration } from './sql-migration';

/** What sealers on EventStoreDB have sealed, and what they do not seal. */
export class SealedHeads1764000000960 extends SqlMigration {
  protected readonly statements = `
    -- the newest signed head of each organization (see signed-head.ts)
    create table sealed_heads (
      organization text primary key,
      revision bigint not null,
      hash text not null,
      -- ISO 8601, as it was signed
      signed_at text not null,
      key_id text not null,
      signature text not null
    );

    create table sealing_faults (
      organization text primary key,
      -- a sentence for operators
      reason text not null,
      since timestamptz not null default clock_timestamp()
    );
  `;
}
