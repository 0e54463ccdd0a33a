import { SqlMigration } from './sql-migration';

/** Stores how far reports are, and their mails. */
export class Reports1796300000000 extends SqlMigration {
  protected readonly statements = `
    create table report_state (
      report_id text primary key,
      -- the first day whose period is not decided
      settled_until date not null,
      -- of the process that makes its report; null = none does
      claim uuid,
      claimed_until timestamptz,
      -- when it is looked at again, of one that waits for events
      next_at timestamptz not null default now()
    ) with (fillfactor = 50);

    -- each with the event that is to be recorded
    create table report_mails (
      event_id text primary key,
      report_id text not null,
      organization_id text not null,
      -- null = they held what was erased
      body text,
      html text,
      event jsonb not null,
      created_at timestamptz not null default now(),
      -- null = the event waits to be recorded
      recorded_at timestamptz
    );
    create index report_mails_waiting on report_mails (created_at) where recorded_at is null;
    alter table report_mails alter body set statistics 0, alter html set statistics 0, alter event set statistics 0;

    -- of a mail that has it, beside its text in the body
    alter table deliveries add column html text;
    alter table deliveries alter html set statistics 0;
  `;
}
