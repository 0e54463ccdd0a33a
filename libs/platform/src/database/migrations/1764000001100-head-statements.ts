import { SqlMigration } from './sql-migration';

/** What was signed of the hash chains in Postgres: statements in a chain of their own (see head-statement.ts). */
export class HeadStatements1764000001100 extends SqlMigration {
  protected readonly statements = `
    create table head_statements (
      -- from 0
      number bigint primary key,
      -- hash of the statement before, 64 zeros of the first
      previous text not null,
      -- the organizations whose heads have changed: [{ organization, revision, hash, signature, resealed? }]
      heads jsonb not null,
      -- why an operator had everything signed as it was, whatever was signed before
      restart text,
      -- ISO 8601, as it was signed
      signed_at text not null,
      key_id text not null,
      signature text not null
    );
    create index head_statements_by_organization on head_statements using gin (heads jsonb_path_ops);
    create index head_statements_restarts on head_statements (number) where restart is not null;
  `;
}
