import { SqlMigration } from './sql-migration';

/** Messages of the intake log, beside those of the audit log: they have an order of their own, and a state to remember. */
export class ObservedMessages1796040000000 extends SqlMigration {
  protected readonly statements = `
    -- how far a partition of the intake log is read for messages; no row while no destination wants any
    create table delivery_sources (
      partition integer primary key,
      -- of the log
      epoch text not null,
      cursor text not null,
      -- when all of it was last read
      looked_at timestamptz not null default now()
    ) with (fillfactor = 10);

    -- what is remembered of a monitor, or the open batch of a link or goal, up to the cursor of its source
    create table delivery_folds (
      partition integer not null,
      key text not null,
      state jsonb not null,
      -- when time alone changes it
      due_at timestamptz,
      primary key (partition, key)
    ) with (fillfactor = 50);
    create index delivery_folds_due on delivery_folds (due_at) where due_at is not null;

    -- the messages of a destination are numbered as they are made
    -- of an audit stream nothing is left out
    alter table destination_sending
      add column next_number bigint not null default 1,
      add column is_stream boolean not null default false;
    alter table deliveries
      add column number bigint,
      -- the website, link or monitor that it is about
      add column subject text,
      -- places in the chain; null = it is not of the audit log
      alter column first_revision drop not null,
      alter column last_revision drop not null;
    update deliveries d set number = n.number from (
      select destination_id, id, row_number() over (partition by destination_id order by first_revision, created_at, id) as number
      from deliveries
    ) n where (d.destination_id, d.id) = (n.destination_id, n.id);
    update destination_sending s set next_number = n.next from (
      select destination_id, max(number) + 1 as next from deliveries group by destination_id
    ) n where s.destination_id = n.destination_id;
    alter table deliveries alter column number set not null;
    drop index deliveries_in_order;
    create unique index deliveries_in_order on deliveries (destination_id, number);
    drop index deliveries_waiting;
    create index deliveries_waiting on deliveries (destination_id, is_repeated, number) where state = 'waiting';

    -- a check that has failed once is made again soon
    alter table monitor_schedule add column is_failing boolean not null default false;
  `;
}
