import { SqlMigration } from './sql-migration';

/** Keys of the sealed personal data in decided events, and the public keys with which signed heads are verified. */
export class SubjectAndSigningKeys1764000000910 extends SqlMigration {
  protected readonly statements = `
    create table subject_keys (
      key_id text primary key,
      organization text not null,
      -- whom the data is about: the id of a user or of an API key
      subject text not null,
      -- the key, encrypted with the key named in wrapped_by; null = destroyed
      wrapped bytea,
      wrapped_by text not null,
      created_at timestamptz not null default clock_timestamp(),
      destroyed_at timestamptz,
      check ((wrapped is null) = (destroyed_at is not null))
    );
    create unique index subject_keys_in_use on subject_keys (organization, subject, wrapped_by) where wrapped is not null;

    create table signing_keys (
      key_id text primary key,
      -- Ed25519, DER (SPKI)
      public_key bytea not null,
      added_at timestamptz not null default clock_timestamp()
    );
  `;
}
