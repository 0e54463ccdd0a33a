import { SqlMigration } from './sql-migration';

/** Hits of erased visitors, which no version of the read models has. */
export class ErasedHits1764000001280 extends SqlMigration {
  protected readonly statements = `
    create table erased_hits (
      projection_group text not null,
      partition integer not null,
      epoch text not null,
      cursor text not null,
      primary key (projection_group, partition, epoch, cursor)
    );
    -- whose hits are out of all tables of a group in this database
    create table erased_visits (
      erasure_id text not null,
      projection_group text not null,
      -- of the log that was looked through
      epoch text not null,
      erased_at timestamptz not null default clock_timestamp(),
      primary key (erasure_id, projection_group)
    );
  `;
}
