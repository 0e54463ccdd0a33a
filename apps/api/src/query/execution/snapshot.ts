import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { schemaOf, type Group } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { bucketsUntil, type BucketsOfRange } from '@ledgerline/domain/query/buckets';
import { runPrepared, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { textHash } from '@ledgerline/platform/database/text';
import { readPartitions, recordedAfter } from '@ledgerline/platform/intake-log/intake-log-tables';
import { partitionOf } from '@ledgerline/platform/intake-log/partition-of';
import type { PoolClient } from 'pg';
import type { QueryTarget } from '../request/query-target';
import type { Deadline } from './deadline';

/**
 * Begins a snapshot whose statements are ended after so many ms. Distinct visitors of a long range are hashed in
 * memory; compiling a query takes longer than most of them run. TRICKY: a failed statement ends what was done since
 * the savepoint, and without one the snapshot.
 */
export const beginSnapshot = (ms: number): string => `begin isolation level repeatable read read only;
  set local work_mem = '64MB'; set local jit = off; set local statement_timeout = ${ms}; savepoint entry`;

/** Makes the transaction usable again after a statement failed. */
export const AFTER_FAILURE = 'rollback to savepoint entry';

/** The state of the read models in this transaction: the live version, and its position in the intake log. */
export interface Snapshot {
  readonly table: (model: ReadModel) => Sql;
  /** Time of the newest event that is included, by the log; null = none yet. */
  readonly asOf: string | null;
  /** How long the oldest event that is not included has been waiting; 0 = everything is included. */
  readonly lagMs: number;
  /** Since when events are not included any more, because the projection is stopped; null = it is not. */
  readonly stoppedSince: string | null;
  /** The website's id in the dictionary; -1, which no row has, for a link and before a website's first event. */
  readonly website: number;
  /** The latest day of the website on which anything happened, as days since 1970-01-01; -Infinity = none yet. */
  readonly latestDay: number;
  /** Time of the request, epoch ms. */
  readonly now: number;
  /** Of ranges up to now. */
  readonly buckets: BucketsOfRange;
}

/** What a snapshot is read with, and until when. */
export interface SnapshotReader {
  readonly client: PoolClient;
  readonly snapshot: Snapshot;
  readonly deadline: Deadline;
}

/** Values that never change and are read once per process. */
export interface Constants {
  /** Of the intake log. */
  partitions?: number;
}

interface Position {
  readonly live_version: number;
  readonly as_of: Date | null;
  readonly waiting_since: Date | null;
  readonly stopped_since: Date | null;
  readonly website: number | null;
}

/**
 * The snapshot as this transaction sees it, for the partition of a website or link.
 * @throws Problem SERVICE_UNAVAILABLE while no version has been built
 */
export async function readSnapshot(
  on: Queryable,
  { about, id }: Pick<QueryTarget, 'about' | 'id'>,
  now: number,
  constants: Constants,
): Promise<Snapshot> {
  const group = groupOf(about);
  const partitions = constants.partitions ?? (await partitionsOf(on, constants));
  const lookup = positionOf(group, partitionOf(id, partitions), about === 'website' ? id : null);
  const [position] = await runPrepared<Position>(on, 'position', lookup);
  if (!position) throw new Problem('SERVICE_UNAVAILABLE', 'The read models are not built yet', undefined, 1);
  const schema = schemaOf(group, position.live_version);
  const website = position.website ?? -1;
  return {
    table: (model) => identifier(schema, model.name),
    asOf: position.as_of?.toISOString() ?? null,
    lagMs: position.waiting_since === null ? 0 : Math.max(0, now - position.waiting_since.getTime()),
    stoppedSince: position.stopped_since?.toISOString() ?? null,
    website,
    latestDay: about === 'website' ? await latestDayOf(on, schema, website) : -Infinity,
    now,
    buckets: bucketsUntil(now),
  };
}

async function latestDayOf(on: Queryable, schema: string, website: number): Promise<number> {
  const lookup = sql`
select latest_day - '1970-01-01'::date as day from ${identifier(schema, websiteDays.name)} where website = ${website}`;
  const [latest] = await runPrepared<{ day: number }>(on, `latest day ${schema}`, lookup);
  return latest?.day ?? -Infinity;
}

export const groupOf = (about: QueryTarget['about']): Group => (about === 'website' ? 'websites' : 'links');

async function partitionsOf(on: Queryable, constants: Constants): Promise<number> {
  const partitions = await readPartitions(on);
  if (partitions !== undefined) constants.partitions = partitions;
  return partitions ?? 1;
}

const positionOf = (group: Group, partition: number, websiteId: string | null): Sql => sql`
select g.live_version, c.as_of, ${recordedAfter(partition, sql`c.cursor`)} as waiting_since,
  case when c.stopped is not null then c.updated_at end as stopped_since, (
    select id from dictionary where scope = ${WEBSITE_SCOPE} and hash = ${websiteId && textHash(websiteId)}::uuid
  ) as website
from projection_groups g
left join projection_checkpoints c
  on c.projection_group = g.name and c.version = g.live_version and c.partition = ${partition}
where g.name = ${group}`;
