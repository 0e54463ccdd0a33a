import { SqlMigration } from './sql-migration';

/** Findings that only a full comparison with the log may see; passes in the background do not withdraw them. */
export class FindingsOfFullComparisons1764000001296 extends SqlMigration {
  protected readonly statements = `
    alter table reconciliation_findings add column in_full boolean not null default false;
  `;
}
