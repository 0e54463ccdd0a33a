import { SqlMigration } from './sql-migration';

/** A checkpoint recognises the log that it was made from. */
export class CheckpointDigests1764000000970 extends SqlMigration {
  protected readonly statements = `
    -- of the log up to the cursor; null where the log has none, or none was known
    alter table projection_checkpoints add column digest text;
  `;
}
