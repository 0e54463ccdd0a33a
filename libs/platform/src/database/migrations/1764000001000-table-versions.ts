import { SqlMigration } from './sql-migration';

/** Tables of one group may be of different versions. */
export class TableVersions1764000001000 extends SqlMigration {
  protected readonly statements = `
    alter table projection_groups
      -- by table that is not simply in the schema of the live version: see GroupLayout
      add column tables jsonb not null default '{}',
      -- the version that answered before the whole group was rebuilt; null = there is none
      add column previous jsonb,
      -- another one whenever the columns before, or the live version, change
      add column layout uuid not null default gen_random_uuid();
    -- events read while a partition is filled and has no cursor yet
    alter table projection_checkpoints add column filled bigint;
  `;
}
