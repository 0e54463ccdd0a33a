import { SqlMigration } from './sql-migration';

/** Names the table of texts and their ids for what it is, and drops a time that nothing reads. */
export class Dictionary1764000000600 extends SqlMigration {
  protected readonly statements = `
    alter table words rename to dictionary;
    alter table dictionary rename column word to text;
    alter table projection_groups drop column flipped_at;
  `;
}
