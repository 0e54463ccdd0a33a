import { SqlMigration } from './sql-migration';

/** Remembers who was asked whether they want mails, and who wants no more: an address as its keyed hash. */
export class DestinationConsents1796050000000 extends SqlMigration {
  protected readonly statements = `
    create table destination_consents (
      organization_id text not null,
      address_hash bytea not null,
      -- asked or withdrawn
      said text not null,
      at timestamptz not null default now()
    );
    create index destination_consents_by_address on destination_consents (address_hash);
    create index destination_consents_by_time on destination_consents (at);
  `;
}
