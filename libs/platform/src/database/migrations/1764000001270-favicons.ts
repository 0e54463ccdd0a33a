import { SqlMigration } from './sql-migration';

/** Icons of websites are fetched by the api, and kept. */
export class Favicons1764000001270 extends SqlMigration {
  protected readonly statements = `
    create table favicons (
      domain text primary key,
      type text,
      image bytea,
      fetched_at timestamptz not null
    );
    comment on column favicons.image is 'null = the domain had none when it was asked';
    create index on favicons (fetched_at);
  `;
}
