import { SqlMigration } from './sql-migration';

/** Which monitors were not checked for a while, so that a downtime does not go on over it. */
export class ResumedMonitors1764000001210 extends SqlMigration {
  protected readonly statements = `
    -- no check was finished since the monitor was created or resumed
    alter table monitor_schedule add column is_resumed boolean not null default false;
  `;
}
