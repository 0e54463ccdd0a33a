import { SqlMigration } from './sql-migration';

/** What comparing the tables of projections with their log has found. */
export class Reconciliations1764000001020 extends SqlMigration {
  protected readonly statements = `
    create table reconciliations (
      projection_group text not null,
      partition integer not null,
      -- when the last complete comparison began; before the first one, since when there has been none
      checked_since timestamptz not null default clock_timestamp(),
      -- when it ended
      checked_at timestamptz,
      -- of websites, links or monitors
      days integer not null default 0,
      primary key (projection_group, partition)
    );
    create table reconciliation_findings (
      projection_group text not null,
      partition integer not null,
      -- website, link or monitor
      subject text not null,
      -- of the website's zone; of UTC for links and monitors
      day date not null,
      table_name text not null,
      -- rows that only the log, only the table, or both with other values have
      missing integer not null,
      extra integer not null,
      changed integer not null,
      -- the first of them, as it follows from the log, and as it is
      expected jsonb,
      found jsonb,
      found_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp(),
      repaired_at timestamptz,
      primary key (projection_group, subject, day, table_name)
    );
  `;
}
