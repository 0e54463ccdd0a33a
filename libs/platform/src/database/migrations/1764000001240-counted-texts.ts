import { SqlMigration } from './sql-migration';

/** What the days of a partition were counted as: the layout of the tables, and what is counted of events beside. */
export class CountedTexts1764000001240 extends SqlMigration {
  protected readonly statements = `
    alter table reconciliations alter column counted_layout type text;
  `;
}
