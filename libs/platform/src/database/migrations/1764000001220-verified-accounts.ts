import { SqlMigration } from './sql-migration';

/** Which accounts have to prove their address, and which one is the demo's owner. */
export class VerifiedAccounts1764000001220 extends SqlMigration {
  protected readonly statements = `
    -- accounts that were created before this, or without a mail server, may sign in with an address that is not verified
    alter table auth."user"
      add column "mustVerify" boolean not null default false,
      add column "verificationMailedAt" timestamptz,
      add column "isDemoOwner" boolean not null default false;
  `;
}
