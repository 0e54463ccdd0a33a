import { SqlMigration } from './sql-migration';

/** How far alerts have decided, and what they decided that is on its way to the intake log. */
export class AlertStates1796063000000 extends SqlMigration {
  protected readonly statements = `
    create table alert_states (
      alert_id text primary key,
      -- of the record, with the rule that decides
      revision bigint not null,
      -- windows until here are decided
      decided_until timestamptz not null,
      progress jsonb not null,
      -- of the last window; null = there was none
      verdict text,
      -- windows of a day that told nothing
      tally jsonb,
      due_at timestamptz not null,
      -- the process that decides, and until when it does
      claim uuid,
      claimed_until timestamptz
    ) with (fillfactor = 50);
    create index alert_states_due on alert_states (due_at);

    -- decided with the state above, and not yet known to be in the intake log
    create table alert_outbox (
      number bigint generated always as identity primary key,
      event jsonb not null
    );

    -- the minutes in which a tracker was seen, kept for longer than the longest window
    create table tracker_minutes (
      minute timestamptz primary key
    );
  `;
}
