import { SqlMigration } from './sql-migration';

/** Payloads of segments that were written anew without hits that are erased, each with what vouches for it. */
export class IntakeRewrites1796025600000 extends SqlMigration {
  protected readonly statements = `
    create table intake_rewrites (
      segment_partition integer not null,
      segment_offset bigint not null,
      -- from 1 in each segment
      number integer not null,
      -- of the payload
      before_hash bytea not null,
      after_hash bytea not null,
      -- bytes of the payload when unpacked
      size integer not null,
      -- the receipt: an event of the stream of the erasure
      organization_id text not null,
      erasure_id text not null,
      event_id text not null,
      -- sha256(chain of the rewrite before, of the first one that of the segment, and the columns above)
      chain bytea not null,
      primary key (segment_partition, segment_offset, number)
    );
  `;
}
