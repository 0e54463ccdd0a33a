import { SqlMigration } from './sql-migration';

/** Events that a projection left out, so that it could go on without them. */
export class ParkedEvents1764000001010 extends SqlMigration {
  protected readonly statements = `
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
    -- of which parked events a process knows when it writes a batch
    alter table projection_checkpoints add column parked_revision integer not null default 0;
  `;
}
