import { SqlMigration } from './sql-migration';

/** Statements about seals in an EventStoreDB. */
export class SealedPositions1764000001294 extends SqlMigration {
  protected readonly statements = `
    -- up to where the log in EventStoreDB is sealed: a cursor and its digest
    alter table head_statements add column sealed_to text;
  `;
}
