import { SqlMigration } from './sql-migration';

/** When backups were made. */
export class Backups1795999500000 extends SqlMigration {
  protected readonly statements = `
    create table backups (
      -- the moment that it is of
      at timestamptz primary key,
      bytes bigint not null,
      -- when it was last restored into a temporary place and compared; null = never
      verified_at timestamptz
    );
  `;
}
