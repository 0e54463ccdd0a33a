import { performance } from 'node:perf_hooks';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Group } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import { bucketsUntil, type BucketsOfRange } from '@ledgerline/domain/query/buckets';
import { inOneFlush, runPrepared, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { textHash } from '@ledgerline/platform/database/text';
import { readWaiting, type LogCursor } from '@ledgerline/platform/intake-log/waiting-events';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { liveTables, TableRebuilding, type LiveTables } from '@ledgerline/platform/table-versions/live-tables';
import { notBuilt } from '@ledgerline/platform/read-stores/read-store';
import type { PoolClient } from 'pg';
import type { QueryTarget } from '../request/query-target';
import type { TaskCounter } from '../session-columns/counting-task';
import type { Executor } from './plan';

/**
 * Begins a snapshot whose statements are ended after so many ms. Distinct visitors of a long range are hashed in
 * memory; compiling a query takes longer than most of them run. TRICKY: a failed statement ends what was done since
 * the savepoint, and without one the snapshot.
 */
export const beginSnapshot = (ms: number): string => `begin isolation level repeatable read read only;
  set local work_mem = '64MB'; set local jit = off; set local statement_timeout = ${ms}; savepoint entry`;

/** Makes the transaction usable again after a statement failed. */
export const AFTER_FAILURE = 'rollback to savepoint entry';

/** The time limit of a request or batch. */
const REQUEST_MS = 30_000;

/** The time left to a request, which all of its statements share. */
export class Deadline {
  private readonly ends: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.ends = now() + REQUEST_MS;
  }

  /** Whole ms. @throws Problem SERVICE_UNAVAILABLE when there are none */
  left(): number {
    const left = Math.floor(this.ends - this.now());
    if (left < 1) throw outOfTime();
    return left;
  }

  /**
   * Does work in this transaction whose statements are ended when the time is over.
   * @throws Problem SERVICE_UNAVAILABLE when it already is; no statement is sent then
   */
  async within<T>(on: PoolClient, work: () => Promise<T>): Promise<T> {
    const limit = `set local statement_timeout = ${this.left()}`;
    const [, done] = await inOneFlush(on, () => Promise.all([on.query(limit), work()]));
    return done;
  }
}

const SECONDS = REQUEST_MS / 1_000;
const OUT_OF_TIME = `The request took longer than the ${SECONDS} seconds it has in all; ask less at once.`;

export const outOfTime = (): Problem => new Problem('SERVICE_UNAVAILABLE', OUT_OF_TIME, undefined, 1);

/** The state of the read models in this transaction: the live version, and its position in the intake log. */
export interface Snapshot {
  /** @throws TableRebuilding */
  readonly table: (model: ReadModel) => Sql;
  readonly tables: LiveTables;
  /** Names what the tables of its partition hold: it changes with them, whatever changed them. */
  readonly state: string;
  /** Time of the newest event that is included, by the log; null = none yet. */
  readonly asOf: string | null;
  /** How long the oldest event that is not included had been waiting when the request came; 0 = everything is included. */
  readonly lagMs: Promise<number>;
  /** Since when events are not included any more, because the projection is stopped; null = it is not. */
  readonly stoppedSince: string | null;
  /** Events of the website, link or monitor that are missing, because they could not be projected. */
  readonly parked: number;
  /** The website's id in the dictionary; -1, which no row has, for links and monitors and before a website's first event. */
  readonly website: number;
  /** False while the table of kept counts is being filled, and in links and monitors, which have none. */
  readonly hasKeptCounts: boolean;
  /** Time of the request, epoch ms. */
  readonly now: number;
  /** Of ranges up to now. */
  readonly buckets: BucketsOfRange;
}

/** A transaction of a read store, and what is used beside it. */
export interface StoreConnection<On extends Queryable = PoolClient> {
  readonly client: On;
  /** Has the logs, the registry and all keys; outside of the snapshot. */
  readonly main: Queryable;
  /** Of the website or link in the intake log. */
  readonly partition: number;
}

/** What a snapshot is read with, and until when. */
export interface SnapshotReader extends Pick<StoreConnection, 'client' | 'main'>, QuestionTools {
  readonly snapshot: Snapshot;
  readonly deadline: Deadline;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

/** What all questions share. */
export interface QuestionTools {
  readonly counter: TaskCounter;
  /** Is given each type with what executes it. */
  readonly onPlan: (type: string, executor: Executor) => void;
}

interface Position {
  readonly layout: string;
  readonly state: string;
  readonly cursor: Cursor | null;
  readonly as_of: Date | null;
  readonly stopped_since: Date | null;
  readonly parked: number;
  readonly website: number | null;
}

/**
 * The snapshot as this transaction sees it, for the partition of a website or link.
 * @throws Problem SERVICE_UNAVAILABLE while no version has been built, or not of this partition
 */
export async function readSnapshot(
  { client, main, partition }: StoreConnection<Queryable>,
  { about, id }: Pick<QueryTarget, 'about' | 'id'>,
  now: number,
): Promise<Snapshot> {
  const group = groupOf(about);
  const lookup = positionOf(group, partition, { about, id });
  const [position] = await runPrepared<Position>(client, 'position', lookup);
  const tables = position && (await liveTables(client, group, position.layout));
  if (!tables || typeof position.cursor !== 'string') throw notBuilt();
  const website = position.website ?? -1;
  return {
    table: (model) => tables.table(model),
    tables,
    state: position.state,
    asOf: position.as_of?.toISOString() ?? null,
    lagMs: lagBehind(main, { partition, cursor: position.cursor }, now),
    stoppedSince: position.stopped_since?.toISOString() ?? null,
    parked: position.parked,
    website,
    hasKeptCounts: about === 'website' && isWhole(tables, keptCounts),
    now,
    buckets: bucketsUntil(now),
  };
}

/** Asked at once and awaited when the answer is complete: what was recorded later than `now` does not count. */
function lagBehind(main: Queryable, cursor: LogCursor, now: number): Promise<number> {
  const waiting = readWaiting(main, [cursor]);
  const lag = waiting.then(([oldest]) => (oldest?.since ? Math.max(0, now - oldest.since.getTime()) : 0));
  lag.catch(() => undefined); // TRICKY: awaited later, perhaps never
  return lag;
}

function isWhole(tables: LiveTables, model: ReadModel): boolean {
  try {
    tables.wholeTable(model);
    return true;
  } catch (error) {
    if (error instanceof TableRebuilding) return false;
    throw error;
  }
}

const GROUP_OF: Readonly<Record<QueryTarget['about'], Group>> = {
  website: 'websites',
  link: 'links',
  monitor: 'monitors',
};
export const groupOf = (about: QueryTarget['about']): Group => GROUP_OF[about];

/** Batches move the cursor, switches of tables change the layout, and whatever else changes rows the revision. */
const STATE = sql`concat_ws(' ', g.layout, c.epoch, c.cursor, c.parked_revision, c.updated_at)`;

const positionOf = (group: Group, partition: number, { about, id }: Pick<QueryTarget, 'about' | 'id'>): Sql => sql`
select g.layout, ${STATE} as state, c.cursor, c.as_of,
  case when c.stopped is not null then c.updated_at end as stopped_since, (
    select count(*)::integer from parked_events p
    where p.projection_group = g.name and p.version = g.live_version and p.partition = c.partition and p.epoch = c.epoch
      and p.subject = ${id} and p.accepted_at is null
  ) as parked, (
    select id from dictionary where scope = ${WEBSITE_SCOPE} and hash = ${about === 'website' ? textHash(id) : null}::uuid
  ) as website
from projection_groups g
left join projection_checkpoints c
  on c.projection_group = g.name and c.version = g.live_version and c.partition = ${partition}
where g.name = ${group}`;
