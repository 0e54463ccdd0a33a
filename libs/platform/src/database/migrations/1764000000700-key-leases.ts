import { SqlMigration } from './sql-migration';

/** Which processes may rely on their registry, and when a key was used last, whichever secret it had. */
export class KeyLeases1764000000700 extends SqlMigration {
  protected readonly statements = `
    create table key_leases (
      id uuid primary key,
      process text not null,
      -- of the event store, as far as the process has applied it; opaque
      position text not null,
      renewals bigint not null default 0
    ) with (fillfactor = 50);

    create table api_key_uses (
      key_id text primary key,
      last_used_at timestamptz not null
    ) with (fillfactor = 70);
    insert into api_key_uses
      select key_id, max(last_used_at) from api_key_secrets where last_used_at is not null group by key_id;
    alter table api_key_secrets drop column last_used_at;
  `;
}
