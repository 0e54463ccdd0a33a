import { Inject, Injectable } from '@nestjs/common';
import type { PoolClient, Pool } from 'pg';
import { Counter } from 'prom-client';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { linkClicks } from '@ledgerline/contracts/read-models/links';
import { monitorStates } from '@ledgerline/contracts/read-models/monitors';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { websiteNewestEvents } from '@ledgerline/contracts/read-models/website-facts';
import type { Caller } from '@ledgerline/domain/access/caller';
import { bucketsUntil, type BucketsOfRange } from '@ledgerline/domain/query/buckets';
import { FIFTEEN_MINUTES_MS } from '@ledgerline/domain/time/fifteen-minutes';
import { run, runPrepared, type Queryable, isSilent, readTransaction } from '@ledgerline/platform/database/pool';
import { FairSemaphore, tooManyWaiting } from '@ledgerline/platform/database/semaphore';
import { type Sql, sql, textHash } from '@ledgerline/platform/database/sql';
import { type IncludedUntil, readAsOf } from '@ledgerline/platform/intake-log/as-of';
import type { LogCursor } from '@ledgerline/platform/intake-log/intake-log';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { MONITOR_RESULTS } from '@ledgerline/platform/monitors/monitor-states';
import { readSpooledClicks } from '@ledgerline/platform/processes/store-checks';
import type { KeptMoment } from '@ledgerline/platform/read-stores/kept-moments';
import {
  type LocatedTogether,
  notBuilt,
  type QuestionStore,
  ReadStores,
  onReadStore,
} from '@ledgerline/platform/read-stores/read-stores';
import { liveTables, OWN_GROUPS, type LiveTables } from '@ledgerline/platform/table-versions/live-tables';
import { withSpan } from '@ledgerline/platform/tracing/tracing';
import { invalid } from '../../http/problems';
import { POOL } from '../../tokens';
import type { QueryContext } from '../declaration/query-context';
import type { QueryAbout, Services } from '../declaration/query-type';
import { Histories } from '../history/history';
import { QueryTargets, queryTargetIds, type QueryTarget } from '../request/query-targets';
import { SessionCounter } from '../session-columns/session-counter';
import type { AnsweredMoment } from './kept-moments';
import { abandoned, type Audience, type QueryDeadline, untilGone } from './request-lifetime';

/** The means with which the requests of a body are answered, all in one snapshot of a read store. */
export interface QueryMeans<On extends Queryable = PoolClient> extends Services {
  /** The transaction of the snapshot. */
  readonly client: On;
  readonly snapshot: Snapshot;
  readonly deadline: QueryDeadline;
  readonly audience: Audience;
  readonly counter: Pick<SessionCounter, 'cache' | 'count' | 'memory'>;
  /** Is given each type with what executes it. */
  readonly onPlan: (type: string, executor: string) => void;
  /** The id of the request in logs. */
  readonly requestId: string | undefined;
}

const MAX_WAITING = 1_000;

/** The caller and target of a snapshot, and until when an answer is worth anything. */
interface SnapshotTask extends Pick<QueryMeans, 'deadline' | 'audience' | 'requestId'> {
  readonly caller: Caller;
  readonly target: AnsweredTarget;
  /** In place of the present. */
  readonly moment?: AnsweredMoment | undefined;
  /** Time of the request, epoch ms. */
  readonly now: number;
}

/** Runs questions in snapshots, so many of each store at once; one whose client has gone is ended in Postgres, too. */
@Injectable()
export class SnapshotRunner {
  private readonly turns = new WeakMap<QuestionStore, FairSemaphore>();
  private readonly plans: Counter<'type' | 'executor'>;

  constructor(
    private readonly stores: ReadStores,
    @Inject(POOL) private readonly main: Pool,
    private readonly counter: SessionCounter,
    private readonly targets: QueryTargets,
    private readonly histories: Histories,
    { registry }: Metrics,
  ) {
    this.plans = new Counter({
      name: 'ledgerline_query_plans_total',
      help: 'Answered query types by what executed them: rollups, fifteenMinutes, sessionColumns, facts or history',
      labelNames: ['type', 'executor'],
      registers: [registry],
    });
  }

  /**
   * @throws Problem SERVICE_UNAVAILABLE when its client goes away, or half of its time is over before its turn
   * @throws ReadStoreUnavailable
   */
  async read<T>(task: SnapshotTask, work: (run: QueryMeans) => Promise<T>): Promise<T> {
    const { audience, deadline, target, moment } = task;
    const ids = queryTargetIds(target);
    const { stores = this.stores } = moment ?? {};
    const at = await stores.locateTogether(ids.length > 0 ? ids : [target.id]);
    if (!at) throw onSeveralStores();
    const waiting = new AbortController();
    const leave = () => waiting.abort(abandoned());
    // one that begins with little time left is not answered either: an overloaded api would only begin such questions
    const timer = setTimeout(() => waiting.abort(tooManyWaiting()), deadline.left() / 2);
    audience.signal.addEventListener('abort', leave, { once: true });
    if (audience.signal.aborted) leave();
    try {
      const turns = this.turns.get(at.store) ?? turnsOf(at.store);
      this.turns.set(at.store, turns);
      const inTurn = () => onReadStore(() => this.inSnapshot(task, at, work));
      return await turns.run(callerOf(task), waiting.signal, () => withSpan('snapshot', {}, inTurn));
    } finally {
      clearTimeout(timer);
      audience.signal.removeEventListener('abort', leave);
    }
  }

  /** TRICKY: after a cancellation the connection is not used again, as that might meet the next statement. */
  private inSnapshot<T>(
    task: SnapshotTask,
    { store, partitions }: LocatedTogether,
    work: (run: QueryMeans) => Promise<T>,
  ): Promise<T> {
    const { audience, deadline, requestId, target, moment, now, caller } = task;
    const { main, targets } = this;
    const counter = moment ? this.counter.apart : this.counter;
    const onPlan = (type: string, executor: string) => this.plans.inc({ type, executor });
    const sources: QueryMeans['sources'] = {
      history: ({ targetId: id, from, to }) => this.histories.about(caller, id, { from, to }),
    };
    const inRun = async (client: PoolClient) => {
      const snapshot = await readSnapshot({ client, main, partitions }, target, now, moment);
      return work({ client, main, targets, snapshot, deadline, audience, counter, sources, onPlan, requestId });
    };
    const answer = (client: PoolClient) =>
      audience.signal.aborted
        ? Promise.reject(abandoned())
        : untilGone(client, { signal: audience.signal, others: store.pool }, () => inRun(client));
    const isSpent = (error: unknown) => audience.signal.aborted || isSilent(error);
    return readTransaction(store.questions, beginSnapshot(deadline.left()), answer, isSpent);
  }
}

const SEVERAL_STORES = 'Its links are on several read servers; POST /v1/query/overview asks each by itself.';

/** Their visitors do not add up. */
const onSeveralStores = () => invalid([{ field: 'tag_id', message: SEVERAL_STORES }]);

/** A caller's slow questions leave half of the connections to others. */
function turnsOf({ questions }: QuestionStore): FairSemaphore {
  const { max } = questions.options;
  return new FairSemaphore({ atOnce: max, ofOneCaller: Math.ceil(max / 2), waiting: MAX_WAITING });
}

/** Callers without credentials are distinguished by what they ask about. */
const callerOf = ({ caller, target }: SnapshotTask): string =>
  caller.kind === 'anonymous' ? `public ${target.id}` : `${caller.kind} ${caller.id}`;

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
export interface Snapshot extends Pick<QueryContext, 'website' | 'rollups' | 'expired'> {
  /** @throws TableRebuilding */
  readonly table: (model: ReadModel) => Sql;
  readonly tables: LiveTables;
  /** Names what the tables of its partition hold: it changes with them, whatever changed them. */
  readonly state: string;
  /** The position that is included, of what is asked about. */
  readonly included: IncludedUntil;
  /** Begin of the quarter of an hour up to which everything is included, at most that of the request; epoch ms. */
  readonly includedQuarter: number;
  /** Time of the newest event of what is asked about, whatever filters select; undefined while that is being filled. */
  readonly newestEventAt: Date | null | undefined;
  /** True if clicks wait on the disk of a tracker, which no log has yet. */
  readonly hasSpooledClicks: boolean;
  /** Since when events are not included any more, because the projection is stopped; null = it is not. */
  readonly stoppedSince: string | null;
  /** Events of the website, link or monitor that are missing, because they could not be projected. */
  readonly parked: number;
  /** In place of the present. */
  readonly moment?: KeptMoment | undefined;
  /** Time of the request, or of the moment; epoch ms. */
  readonly now: number;
  /** The buckets of ranges up to now. */
  readonly buckets: BucketsOfRange;
}

/** The target that is asked about. */
type AnsweredTarget = Pick<QueryTarget, 'about' | 'id' | 'tag'>;

/** The databases of a snapshot, and the partitions whose read models it is of. */
interface SnapshotSource {
  readonly client: Queryable;
  readonly main: Queryable;
  readonly partitions: readonly number[];
}

interface Position extends LogCursor, Pick<Snapshot, 'state' | 'parked' | 'expired'> {
  readonly layout: string;
  readonly stopped_since: Date | null;
  readonly website: number | null;
}

/**
 * The snapshot as this transaction sees it, for the partition of a website or link, or those of the links of a tag.
 * @throws Problem SERVICE_UNAVAILABLE while no version has been built, or not of this partition
 */
export async function readSnapshot(
  { client, main, partitions }: SnapshotSource,
  target: AnsweredTarget,
  now: number,
  moment?: KeptMoment,
): Promise<Snapshot> {
  const { about } = target;
  const read = (partition: number) =>
    runPrepared<Partial<Position>>(client, 'position', positionOf(projectionGroupFor(about), partition, target)).then(
      ([found]) => found,
    );
  const positions = (await Promise.all(partitions.map(read))).filter(isBuilt);
  const [position] = positions;
  const tables = position && (await liveTables(client, projectionGroupFor(about), position.layout));
  if (!tables || positions.length < partitions.length) throw notBuilt();
  const website = position.website ?? -1;
  const [included, newestEventAt, hasSpooledClicks] = await Promise.all([
    moment
      ? { asOf: Math.floor(moment.until / 1_000) * 1_000, lagMs: 0 }
      : readAsOf(main, positions, target.tag ? undefined : target.id),
    readNewestEvent(client, tables, { ...target, website }),
    about === 'link' && !moment && readSpooledClicks(main),
  ]);
  return {
    table: (model) => tables.table(model),
    tables,
    state: positions.map(({ state }) => state).join(' '),
    included,
    includedQuarter: Math.floor(Math.min(included.asOf, now) / FIFTEEN_MINUTES_MS) * FIFTEEN_MINUTES_MS,
    newestEventAt,
    hasSpooledClicks,
    stoppedSince: positions.flatMap(({ stopped_since: at }) => at?.toISOString() ?? []).toSorted()[0] ?? null,
    parked: positions.reduce((sum, { parked }) => sum + parked, 0),
    website,
    rollups: about === 'website' ? tables.columnsOf(websiteRollups) : new Set(),
    expired: position.expired,
    moment,
    now,
    buckets: bucketsUntil(now),
  };
}

/** Without a checkpoint there is no cursor. */
const isBuilt = (position: Partial<Position> | undefined): position is Position => typeof position?.cursor === 'string';

async function readNewestEvent(
  client: Queryable,
  tables: LiveTables,
  { about, website, ...target }: AnsweredTarget & Pick<Snapshot, 'website'>,
): Promise<Date | null | undefined> {
  const { model, at, key, type } = NEWEST_EVENTS[about];
  if (!tables.isWhole(model)) return undefined;
  const keys = about === 'website' ? [website] : queryTargetIds(target);
  const newest = sql`select max(newest.at) as at from unnest(${keys}::${type}[]) asked(key)
    cross join lateral (select max(${at}) as at from ${tables.table(model)} where ${key} = asked.key) newest`;
  return (await run<{ at: Date | null }>(client, newest))[0]?.at ?? null;
}

/** Where the time of the newest event is found by a key. */
const NEWEST_EVENTS: Readonly<Record<QueryAbout, Readonly<Record<'at' | 'key' | 'type', Sql> & { model: ReadModel }>>> =
  {
    website: { model: websiteNewestEvents, at: sql`newest_at`, key: sql`website`, type: sql`integer` },
    link: { model: linkClicks, at: sql`at`, key: sql`link_id`, type: sql`text` },
    monitor: { model: monitorStates, at: sql`last_at`, key: sql`monitor_id`, type: sql`text` },
  };

export const projectionGroupFor = (about: QueryAbout): Group => `${about}s`;

/** Batches move the cursor, switches of tables change the layout, and whatever else changes rows the revision. */
const STATE = sql`concat_ws(' ', g.layout, c.epoch, c.cursor, c.parked_revision, c.updated_at)`;

const positionOf = (group: Group, partition: number, { about, id, tag }: AnsweredTarget): Sql => sql`
select ${partition}::integer as partition, g.layout, ${STATE} as state, c.cursor,
  case when c.stopped is not null then c.updated_at end as stopped_since, (
    select count(*)::integer from parked_events p
    where p.projection_group = g.name and p.version = g.live_version and p.partition = c.partition and p.epoch = c.epoch
      and p.subject = any(${queryTargetIds({ id, tag })}::text[]) and p.accepted_at is null
  ) as parked, (
    select id from dictionary where scope = ${WEBSITE_SCOPE} and hash = ${about === 'website' ? textHash(id) : null}::uuid
  ) as website, (
    select to_jsonb(e) || jsonb_build_object('first', least(e.before::text, (
        select min(r.id) from erasure_rules r where r.kind = 'expired' and r.subject = e.website_id
      ))) from expirations e where website_id = ${about === 'monitor' ? MONITOR_RESULTS : id}
  ) as expired
from ${OWN_GROUPS} g
left join projection_checkpoints c
  on c.projection_group = g.name and c.version = g.live_version and c.partition = ${partition}
where g.name = ${group}`;
