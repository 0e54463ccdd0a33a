import { SqlMigration } from './sql-migration';

/** Stores what is left of days that are older than their website keeps hits. */
export class Expirations1795999000000 extends SqlMigration {
  protected readonly statements = `
    -- the first day of each website of which everything is kept, and when it began
    create table expirations (
      website_id text primary key,
      before date not null,
      until timestamptz not null,
      -- the columns of website_rollups that are kept of all earlier days
      rollups text[] not null
    );
    -- parts of rollups as in website_rollups, of which no sessions are left
    create table expired_rollups (
      website_id text not null,
      number bigint not null,
      -- its column in website_rollups
      rollup text not null,
      since integer not null,
      until integer not null,
      bytes bytea not null,
      primary key (website_id, number)
    );
  `;
}
