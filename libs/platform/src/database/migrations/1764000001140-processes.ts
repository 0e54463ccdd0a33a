import { SqlMigration } from './sql-migration';

/** The processes of this installation, by their heartbeats. */
export class Processes1764000001140 extends SqlMigration {
  protected readonly statements = `
    create table processes (
      id uuid primary key,
      app text not null,
      host text not null,
      pid integer not null,
      started_at timestamptz not null,
      beat_at timestamptz not null,
      -- how each store answers it: [{"store", "operation", "reason", "since"}]; reason null = it works
      stores jsonb not null
    ) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000);
  `;
}
