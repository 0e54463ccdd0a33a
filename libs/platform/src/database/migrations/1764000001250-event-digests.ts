import { SqlMigration } from './sql-migration';

/**
 * Stores digests of events: of each day, the log is counted with a checksum of its events; days are compared, and
 * signed, several together.
 */
export class EventDigests1764000001250 extends SqlMigration {
  protected readonly statements = `
    truncate reconciled_days;
    comment on column reconciled_days.counts is 'by table how many events the log has, and the sum of their hashes';
    comment on column reconciled_days.signature is 'of the days from this one that were compared together; null = none begin with it';
    alter table reconciliations drop column days;
    update reconciliations set counted_to = '', counted_layout = null;
  `;
}
