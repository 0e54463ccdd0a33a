import { SqlMigration } from './sql-migration';

/** When each monitor is checked next; its results are in the intake log. */
export class MonitorSchedule1764000000990 extends SqlMigration {
  protected readonly statements = `
    create table monitor_schedule (
      monitor_id text primary key,
      interval_seconds integer not null,
      due_at timestamptz not null,
      -- until when the check belongs to the process that has taken it; null = none has
      claimed_until timestamptz
    ) with (fillfactor = 70);
    create index monitor_schedule_due on monitor_schedule (due_at);
  `;
}
