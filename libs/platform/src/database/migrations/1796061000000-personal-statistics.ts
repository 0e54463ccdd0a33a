import { SqlMigration } from './sql-migration';

/** Keeps payloads, and names and addresses of people, out of the samples of statistics. */
export class PersonalStatistics1796061000000 extends SqlMigration {
  protected readonly statements = `
    alter table intake_segments alter payload set statistics 0;
    alter table invitation_addresses alter email set statistics 0;
    alter table auth."user" alter name set statistics 0, alter email set statistics 0;
    alter table auth."session" alter "ipAddress" set statistics 0, alter "userAgent" set statistics 0;
  `;
}
