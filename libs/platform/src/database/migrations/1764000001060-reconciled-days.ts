import { SqlMigration } from './sql-migration';

/** What is known of the days that were compared with the log, so that only those that change are compared again. */
export class ReconciledDays1764000001060 extends SqlMigration {
  protected readonly statements = `
    alter table reconciliations
      -- up to where the log is counted in reconciled_days, for the tables of which layout
      add column counted_to text not null default '',
      add column counted_epoch text,
      add column counted_layout uuid;
    create table reconciled_days (
      projection_group text not null,
      partition integer not null,
      -- website, link or monitor
      subject text not null,
      day date not null,
      zone text not null,
      -- by table what the events of the log add: their number, and the sum of their times of day
      counts jsonb not null default '{}',
      -- the sum of the hashes of all rows when the day was compared; null = not since its events were counted
      signature numeric,
      proven_at timestamptz,
      primary key (projection_group, subject, day)
    );
    create index on reconciled_days (projection_group, partition, proven_at);
  `;
}
