import { SqlMigration } from './sql-migration';

/** Which traces of requests hits belong to, for a day; written only while spans are exported. */
export class HitTraces1764000001050 extends SqlMigration {
  protected readonly statements = `
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
  `;
}
