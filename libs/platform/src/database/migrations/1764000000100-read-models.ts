import { SqlMigration } from './sql-migration';

/** What is shared by all versions of the read models; their own tables come from their declarations. */
export class ReadModels1764000000100 extends SqlMigration {
  protected readonly statements = `
    create table words (
      id integer generated always as identity primary key,
      scope integer not null,
      hash uuid not null,
      word text not null,
      unique (scope, hash)
    );
    create table projection_groups (
      name text primary key,
      live_version integer not null,
      flipped_at timestamptz not null default clock_timestamp()
    );
    create table projection_checkpoints (
      projection_group text not null,
      version integer not null,
      partition integer not null,
      epoch text not null,
      cursor text not null,
      -- time (by the log) of the newest event that is included
      as_of timestamptz,
      events bigint not null default 0,
      -- why it stands still; null = it does not
      stopped text,
      updated_at timestamptz not null default clock_timestamp(),
      primary key (projection_group, version, partition)
    ) with (fillfactor = 50);
  `;
}
