/** The tables shared by all versions of the read models; their own tables come from their declarations. */
export const READ_MODELS = `
  -- texts of rows, by number. Made under its first name, which its constraints and its sequence keep
  create table words (
    id integer generated always as identity primary key,
    scope integer not null,
    hash uuid not null,
    word text not null,
    unique (scope, hash)
  );
  alter table words rename to dictionary;
  alter table dictionary rename column word to text;

  create table projection_groups (
    name text primary key,
    live_version integer not null,
    -- by table that is not simply in the schema of the live version: see GroupLayout
    tables jsonb not null default '{}',
    -- the version that answered before the whole group was rebuilt; null = there is none
    previous jsonb,
    -- another one whenever the columns before, or the live version, change
    layout uuid not null default gen_random_uuid()
  );

  create table projection_checkpoints (
    projection_group text not null,
    version integer not null,
    partition integer not null,
    epoch text not null,
    cursor text not null,
    -- time (by the log) of the newest event that is included
    as_of timestamptz,
    events bigint not null default 0,
    -- why it stands still; null = it does not
    stopped text,
    updated_at timestamptz not null default clock_timestamp(),
    -- recognises the log that it was made from: of the log up to the cursor; null where the log has none, or none was known
    digest text,
    -- events read while a partition is filled and has no cursor yet
    filled bigint,
    -- of which parked events a process knows when it writes a batch
    parked_revision integer not null default 0,
    primary key (projection_group, version, partition)
  ) with (fillfactor = 50);

  -- events that a projection left out, so that it could go on without them
  create table parked_events (
    -- in a partition of a version, in the order of the log
    number bigint generated always as identity primary key,
    projection_group text not null,
    version integer not null,
    partition integer not null,
    epoch text not null,
    cursor text not null,
    -- where the log is read from to find it
    after text not null,
    event_id text not null,
    event_type text not null,
    -- website, link, monitor, or stream
    subject text not null,
    -- null = unknown
    occurred_at timestamptz,
    -- later events with the same key wait behind it
    order_key text not null,
    -- null = it only waits behind an earlier one
    error text,
    tries integer not null,
    parked_at timestamptz not null default clock_timestamp(),
    -- since when every version leaves it out for good; null = it does not
    accepted_at timestamptz,
    unique (projection_group, version, partition, epoch, cursor)
  );
  create index on parked_events (projection_group, version, partition, subject) where accepted_at is null;

  -- what comparing the tables of projections with their log has found
  create table reconciliations (
    projection_group text not null,
    partition integer not null,
    -- when the last complete comparison began; before the first one, since when there has been none
    checked_since timestamptz not null default clock_timestamp(),
    -- when it ended
    checked_at timestamptz,
    -- of websites, links or monitors
    days integer not null default 0,
    -- up to where the log is counted in reconciled_days, for the tables of which layout
    counted_to text not null default '',
    counted_epoch text,
    counted_layout text,
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

  -- what is known of the days that were compared with the log, so that only those that change are compared again
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
`;
