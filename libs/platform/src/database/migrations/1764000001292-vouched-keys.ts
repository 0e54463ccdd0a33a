import { SqlMigration } from './sql-migration';

/** Statements that vouch for earlier keys. */
export class VouchedKeys1764000001292 extends SqlMigration {
  protected readonly statements = `
    -- ids of keys whose statements before this one count, as an operator has decided
    alter table head_statements add column keys jsonb;
    create index head_statements_vouching on head_statements (number) where keys is not null;
  `;
}
