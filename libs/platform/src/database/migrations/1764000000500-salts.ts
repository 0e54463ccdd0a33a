import { SqlMigration } from './sql-migration';

/** Secrets that make visitor ids. They are left out of backups, and a dead salt is gone for good. */
export class Salts1764000000500 extends SqlMigration {
  protected readonly statements = `
    create table salts (
      -- a website, or an organization (short links and its own events)
      scope text not null,
      -- 'YYYY-MM-DD', 'YYYY-MM' or 'stable'
      period text not null,
      salt bytea not null,
      -- null = it lives as long as its website
      dies_at timestamptz,
      primary key (scope, period)
    );
    create index salts_dies_at on salts (dies_at);
    create table import_secrets (
      website_id text primary key,
      secret bytea not null,
      created_at timestamptz not null default clock_timestamp()
    );
  `;
}
