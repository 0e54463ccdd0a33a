import { SqlMigration } from './sql-migration';

/**
 * The keys with which profiles are sealed in the log and in read models, one for each profile of a website. They are
 * left out of backups; a profile whose row is deleted is forgotten for good.
 */
export class ProfileKeys1764000000920 extends SqlMigration {
  protected readonly statements = `
    create table profile_keys (
      website_id text not null,
      -- the first 128 bits of the SHA-256 of the profile id
      profile_hash uuid not null,
      -- what the log calls the profile: random, so that nothing can be guessed from it
      subject uuid not null unique,
      key bytea not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (website_id, profile_hash)
    );
  `;
}
