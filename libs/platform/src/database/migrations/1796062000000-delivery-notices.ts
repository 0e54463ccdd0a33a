import { SqlMigration } from './sql-migration';

/** Remembers which trouble of destinations their owners and admins were mailed about, and the mails. */
export class DeliveryNotices1796062000000 extends SqlMigration {
  protected readonly statements = `
    -- off, held_back and set_aside, as far as they were told and are not over
    alter table destination_sending add column told text not null default '';
    create index deliveries_set_aside on deliveries (destination_id) where state = 'set_aside';

    create table delivery_notices (
      id uuid primary key default gen_random_uuid(),
      organization_id text not null,
      user_id text not null,
      subject text not null,
      body text not null,
      created_at timestamptz not null default now(),
      tries integer not null default 0,
      -- when it is sent, or again where its process has died; null = it is over
      next_at timestamptz default now(),
      -- of the mail server; null = there was no answer
      status integer
    );
    create index delivery_notices_due on delivery_notices (next_at) where next_at is not null;
    create index delivery_notices_of_organization on delivery_notices (organization_id, created_at);
  `;
}
