import type { ReplacedMigration } from './replaced-migration';

/** Migrations that the baselines replace, as they were; the fourth of them. */
export const FOURTH: readonly ReplacedMigration[] = [
  {
    name: 'Reconciliations1764000001020',
    isOfReadStores: true,
    statements: `
    create table reconciliations (
      projection_group text not null,
      partition integer not null,
      -- when the last complete comparison began; before the first one, since when there has been none
      checked_since timestamptz not null default clock_timestamp(),
      -- when it ended
      checked_at timestamptz,
      -- of websites, links or monitors
      days integer not null default 0,
      primary key (projection_group, partition)
    );
    create table reconciliation_findings (
      projection_group text not null,
      partition integer not null,
      -- website, link or monitor
      subject text not null,
      -- of the website's zone; of UTC for links and monitors
      day date not null,
      table_name text not null,
      -- rows that only the log, only the table, or both with other values have
      missing integer not null,
      extra integer not null,
      changed integer not null,
      -- the first of them, as it follows from the log, and as it is
      expected jsonb,
      found jsonb,
      found_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp(),
      repaired_at timestamptz,
      primary key (projection_group, subject, day, table_name)
    );
`,
  },
  {
    name: 'HitTraces1764000001050',
    statements: `
    -- not logged: after a crash it is empty, which nothing depends on
    create unlogged table hit_traces (
      partition integer not null,
      -- the newest of the flush in this partition; these hits are at or before it
      "offset" bigint not null,
      traceparent text not null,
      types text[] not null,
      stored_at timestamptz not null default clock_timestamp()
    );
    create index hit_traces_position on hit_traces (partition, "offset");
`,
  },
  {
    name: 'ReconciledDays1764000001060',
    isOfReadStores: true,
    statements: `
    alter table reconciliations
      -- up to where the log is counted in reconciled_days, for the tables of which layout
      add column counted_to text not null default '',
      add column counted_epoch text,
      add column counted_layout uuid;
    create table reconciled_days (
      projection_group text not null,
      partition integer not null,
      -- website, link or monitor
      subject text not null,
      day date not null,
      zone text not null,
      -- by table what the events of the log add: their number, and the sum of their times of day
      counts jsonb not null default '{}',
      -- the sum of the hashes of all rows when the day was compared; null = not since its events were counted
      signature numeric,
      proven_at timestamptz,
      primary key (projection_group, subject, day)
    );
    create index on reconciled_days (projection_group, partition, proven_at);
`,
  },
  {
    name: 'HeadStatements1764000001100',
    statements: `
    create table head_statements (
      -- from 0
      number bigint primary key,
      -- hash of the statement before, 64 zeros of the first
      previous text not null,
      -- the organizations whose heads have changed: [{ organization, revision, hash, signature, resealed? }]
      heads jsonb not null,
      -- why an operator had everything signed as it was, whatever was signed before
      restart text,
      -- ISO 8601, as it was signed
      signed_at text not null,
      key_id text not null,
      signature text not null
    );
    create index head_statements_by_organization on head_statements using gin (heads jsonb_path_ops);
    create index head_statements_restarts on head_statements (number) where restart is not null;
`,
  },
  {
    name: 'Processes1764000001140',
    statements: `
    create table processes (
      id uuid primary key,
      app text not null,
      host text not null,
      pid integer not null,
      started_at timestamptz not null,
      beat_at timestamptz not null,
      -- how each store answers it: [{"store", "operation", "reason", "since"}]; reason null = it works
      stores jsonb not null
    ) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000);
`,
  },
  {
    name: 'MessageTags1764000001150',
    statements: `
    alter table intake_topic_offsets add column requires_tags boolean not null default true;
    update intake_topic_offsets set requires_tags = false;
`,
  },
  {
    name: 'NewestRevocations1764000001160',
    statements: `
    create table newest_revocations (
      -- of the event store; opaque. Mostly one row: an older one is deleted once a newer one is there
      position text primary key
    );
`,
  },
  {
    name: 'ResumedMonitors1764000001210',
    statements: `
    -- no check was finished since the monitor was created or resumed
    alter table monitor_schedule add column is_resumed boolean not null default false;
`,
  },
  {
    name: 'VerifiedAccounts1764000001220',
    statements: `
    -- accounts that were created before this, or without a mail server, may sign in with an address that is not verified
    alter table auth."user"
      add column "mustVerify" boolean not null default false,
      add column "verificationMailedAt" timestamptz,
      add column "isDemoOwner" boolean not null default false;
`,
  },
  {
    name: 'CountedTexts1764000001240',
    isOfReadStores: true,
    statements: `
    alter table reconciliations alter column counted_layout type text;
`,
  },
];
