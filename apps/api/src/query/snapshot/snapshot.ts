import { performance } from 'node:perf_hooks';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { PoolClient } from 'pg';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/kept-counts';
import { linkClicks } from '@ledgerline/contracts/read-models/links';
import { monitorStates } from '@ledgerline/contracts/read-models/monitors';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { websiteNewestEvents } from '@ledgerline/contracts/read-models/website-facts';
import { bucketsUntil, type BucketsOfRange } from '@ledgerline/domain/query/buckets';
import { FIFTEEN_MINUTES_MS } from '@ledgerline/domain/time/fifteen-minutes';
import { inOneFlush, run, runPrepared, type Queryable } from '@ledgerline/platform/database/pool';
import { type Sql, sql, textHash } from '@ledgerline/platform/database/sql';
import { type IncludedUntil, readAsOf } from '@ledgerline/platform/intake-log/as-of';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { readSpooledClicks } from '@ledgerline/platform/processes/store-checks';
import { notBuilt } from '@ledgerline/platform/read-stores/read-stores';
import { liveTables, TableRebuilding, type LiveTables } from '@ledgerline/platform/table-versions/live-tables';
import type { QueryAbout } from '../declaration/query-type';

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
  /** Of what is asked about. */
  readonly included: IncludedUntil;
  /** Begin of the quarter of an hour up to which everything is included, at most that of the request; epoch ms. */
  readonly includedQuarter: number;
  /** Time of the newest event of what is asked about, whatever filters select; undefined while that is being filled. */
  readonly newestEventAt: Date | null | undefined;
  /** Whether clicks wait on the disk of a tracker, which no log has yet. */
  readonly hasSpooledClicks: boolean;
  /** Since when events are not included any more, because the projection is stopped; null = it is not. */
  readonly stoppedSince: string | null;
  /** Events of the website, link or monitor that are missing, because they could not be projected. */
  readonly parked: number;
  /** The website's id in the dictionary; -1, which no row has, for links and monitors and before a website's first event. */
  readonly website: number;
  /** The columns of rollups that answer; none in links and monitors. */
  readonly rollups: ReadonlySet<string>;
  /** Time of the request, epoch ms. */
  readonly now: number;
  /** Of ranges up to now. */
  readonly buckets: BucketsOfRange;
}

/** What is asked about. */
interface Subject {
  readonly about: QueryAbout;
  readonly id: string;
}

interface Position {
  readonly layout: string;
  readonly state: string;
  readonly cursor: Cursor | null;
  readonly stopped_since: Date | null;
  readonly parked: number;
  readonly website: number | null;
}

/**
 * The snapshot as this transaction sees it, for the partition of a website or link.
 * @throws Problem SERVICE_UNAVAILABLE while no version has been built, or not of this partition
 */
export async function readSnapshot(
  { client, main, partition }: { readonly client: Queryable; readonly main: Queryable; readonly partition: number },
  { about, id }: Subject,
  now: number,
): Promise<Snapshot> {
  const group = groupOf(about);
  const lookup = positionOf(group, partition, { about, id });
  const [position] = await runPrepared<Position>(client, 'position', lookup);
  const tables = position && (await liveTables(client, group, position.layout));
  if (!tables || typeof position.cursor !== 'string') throw notBuilt();
  const website = position.website ?? -1;
  const [included, newestEventAt, hasSpooledClicks] = await Promise.all([
    readAsOf(main, { partition, cursor: position.cursor }, id),
    readNewestEvent(client, tables, { about, id, website }),
    about === 'link' && readSpooledClicks(main),
  ]);
  return {
    table: (model) => tables.table(model),
    tables,
    state: position.state,
    included,
    includedQuarter: Math.floor(Math.min(included.asOf, now) / FIFTEEN_MINUTES_MS) * FIFTEEN_MINUTES_MS,
    newestEventAt,
    hasSpooledClicks,
    stoppedSince: position.stopped_since?.toISOString() ?? null,
    parked: position.parked,
    website,
    rollups: about === 'website' ? tables.columnsOf(websiteRollups) : new Set(),
    now,
    buckets: bucketsUntil(now),
  };
}

async function readNewestEvent(
  client: Queryable,
  tables: LiveTables,
  { about, id, website }: Subject & Pick<Snapshot, 'website'>,
): Promise<Date | null | undefined> {
  const { model, newest } = NEWEST_EVENTS[about];
  if (!isWhole(tables, model)) return undefined;
  const of = about === 'website' ? website : id;
  const [found] = await run<{ at: Date | null }>(client, newest(tables.wholeTable(model), of));
  return found?.at ?? null;
}

/** Where the time of the newest event is found by a key. */
const NEWEST_EVENTS: Readonly<
  Record<QueryAbout, { readonly model: ReadModel; readonly newest: (table: Sql, of: string | number) => Sql }>
> = {
  website: {
    model: websiteNewestEvents,
    newest: (table, website) => sql`select max(newest_at) as at from ${table} where website = ${website}`,
  },
  link: {
    model: linkClicks,
    newest: (table, link) => sql`select max(at) as at from ${table} where link_id = ${link}`,
  },
  monitor: {
    model: monitorStates,
    newest: (table, monitor) => sql`select max(last_at) as at from ${table} where monitor_id = ${monitor}`,
  },
};

function isWhole(tables: LiveTables, model: ReadModel): boolean {
  try {
    tables.wholeTable(model);
    return true;
  } catch (error) {
    if (error instanceof TableRebuilding) return false;
    throw error;
  }
}

export const groupOf = (about: QueryAbout): Group => `${about}s`;

/** Batches move the cursor, switches of tables change the layout, and whatever else changes rows the revision. */
const STATE = sql`concat_ws(' ', g.layout, c.epoch, c.cursor, c.parked_revision, c.updated_at)`;

const positionOf = (group: Group, partition: number, { about, id }: Subject): Sql => sql`
select g.layout, ${STATE} as state, c.cursor,
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
