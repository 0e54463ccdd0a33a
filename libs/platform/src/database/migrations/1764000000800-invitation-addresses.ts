import { SqlMigration } from './sql-migration';

/** The addresses of invited people, which are in no event; a row is deleted when its invitation is no longer pending. */
export class InvitationAddresses1764000000800 extends SqlMigration {
  protected readonly statements = `
    create table invitation_addresses (
      invitation_id text primary key,
      organization_id text not null,
      email text not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create unique index on invitation_addresses (organization_id, lower(email));
    create index on invitation_addresses (lower(email));
    create index on invitation_addresses (created_at);
  `;
}
