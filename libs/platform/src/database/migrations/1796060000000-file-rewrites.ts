import { SqlMigration } from './sql-migration';

/** Notes whether files have rows that were erased. Texts are kept out of the samples of statistics. */
export class FileRewrites1796060000000 extends SqlMigration {
  protected readonly statements = `
    create table file_rewrites (
      only_row boolean primary key default true check (only_row),
      -- when something was erased first since tables began to be rewritten; null = nothing was
      due_since timestamptz,
      -- when they began to be; null = none is being rewritten
      begun_at timestamptz,
      -- those that are since
      rewritten text[] not null default '{}',
      -- everything that was erased before has left the files
      covered_until timestamptz
    );
    insert into file_rewrites (due_since) values (clock_timestamp());
    alter table dictionary alter text set statistics 0;
    alter table parked_events alter error set statistics 0;
    alter table reconciliation_findings alter expected set statistics 0, alter found set statistics 0;
  `;
}
