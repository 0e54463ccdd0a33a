import { SqlMigration } from './sql-migration';

/** Up to which event a registry must go that begins while the event store is away: nothing answered is missing then. */
export class NewestRevocations1764000001160 extends SqlMigration {
  protected readonly statements = `
    create table newest_revocations (
      -- of the event store; opaque. Mostly one row: an older one is deleted once a newer one is there
      position text primary key
    );
  `;
}
