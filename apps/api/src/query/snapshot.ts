import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { schemaOf, type Group } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/words';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { wordHash } from '@ledgerline/platform/database/word-hash';
import { partitionOf } from '@ledgerline/platform/intake-log/partition-of';

/** Distinct visitors of a long range are hashed in memory; compiling a query takes longer than most of them run. */
export const BEGIN_SNAPSHOT = `begin isolation level repeatable read read only;
  set local work_mem = '64MB'; set local jit = off`;

/** One moment of the read models: which version answers, and how much of the intake log it includes. */
export interface Snapshot {
  readonly table: (model: ReadModel) => Sql;
  /** Time of the newest event that is included, by the log; null = none yet. */
  readonly asOf: string | null;
  /** How long the oldest event that is not included has been waiting; 0 = everything is included. */
  readonly lagMs: number;
}

interface Position {
  readonly live_version: number;
  readonly as_of: Date | null;
  readonly waiting_since: Date | null;
}

/**
 * The snapshot as this transaction sees it, for the partition of a website or link.
 * @throws Problem SERVICE_UNAVAILABLE while no version has been built
 */
export async function snapshotFor(on: Queryable, group: Group, subject: string, now: number): Promise<Snapshot> {
  const partitions = sql`select partitions from intake_log`;
  const [log] = await run<{ partitions: number }>(on, partitions);
  const partition = partitionOf(subject, log?.partitions ?? 1);
  const [position] = await run<Position>(on, positionOf(group, partition));
  if (!position) throw new Problem('SERVICE_UNAVAILABLE', 'The read models are not built yet', undefined, 1);
  const schema = schemaOf(group, position.live_version);
  return {
    table: (model) => identifier(schema, model.name),
    asOf: position.as_of?.toISOString() ?? null,
    lagMs: position.waiting_since === null ? 0 : Math.max(0, now - position.waiting_since.getTime()),
  };
}

const positionOf = (group: Group, partition: number): Sql => sql`
select g.live_version, c.as_of, (
    select s.recorded_at from intake_segments s
    where s.partition = ${partition} and s.first_offset > coalesce(nullif(c.cursor, '')::bigint, -1)
    order by s.first_offset limit 1
  ) as waiting_since
from projection_groups g
left join projection_checkpoints c
  on c.projection_group = g.name and c.version = g.live_version and c.partition = ${partition}
where g.name = ${group}`;

/** The word id of a website; -1, which no row bears, when nothing was ever heard of it. */
export async function websiteWord(on: Queryable, websiteId: string): Promise<number> {
  const known = sql`select id from words where scope = ${WEBSITE_SCOPE} and hash = ${wordHash(websiteId)}::uuid`;
  const [row] = await run<{ id: number }>(on, known);
  return row?.id ?? -1;
}
