import { setTimeout } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { BEGINNING, EpochChanged, LogUnavailable, type Cursor } from '@ledgerline/platform/log/log-reader';
import { serves } from '@ledgerline/platform/read-stores/read-stores';
import type { BoundGroup } from '../runner/bound-group';
import type { LogRunner, RunnerStep } from '../runner/partition-runner';

/** A rebuild that ended without changing anything; its message is the reason. */
export class NotRebuilt extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'NotRebuilt';
  }
}

/** Another process rebuilds the group, or has just done it. */
export class RebuiltElsewhere extends NotRebuilt {}

/** The stage of a rebuild: it reads and spills hits, writes what follows from them, and then goes on batch by batch. */
export interface RebuildStageProgress {
  readonly stage: 'reading' | 'writing' | 'indexing' | 'catching up' | 'sealing' | 'comparing';
  /** Events of this stage that are done, and all of them; both 0 in a stage that counts none. */
  readonly done: number;
  readonly total: number;
}

export type OnProgress = (progress: RebuildStageProgress) => void;

export interface CatchUp {
  readonly group: BoundGroup;
  readonly version: number;
  readonly onProgress?: OnProgress | undefined;
  /** Events per transaction. */
  readonly batch?: number | undefined;
  /** Ends it between two batches; it can go on later. */
  readonly signal?: AbortSignal | undefined;
  /** The time for which it works at most. */
  readonly maxMs?: number | undefined;
}

/** Two partitions hold two such batches each, which is most of the memory that a rebuild takes. */
const BATCH = 5_000;
/** A live version that advances as fast as the new one is held for so much longer in each round, and moves on in between. */
const HOLD_MS = 1_000;
const MAX_HOLD_MS = 30_000;
const TURN_MS = 2_000;
const MAX_PAUSE_MS = 10_000;
const OUTRUN_MS = 200;
/** Partitions filled at once; each computes its next batch while one is written, and more would only take memory. */
const CONCURRENT_PARTITIONS = 2;

/** Brings a version to less than a batch behind the live one, which moves on most of the time. */
async function catchUpClosely(wanted: CatchUp): Promise<void> {
  const { group, batch = BATCH } = wanted;
  let behind = Infinity;
  let holdMs = 0;
  for (;;) {
    wanted.signal?.throwIfAborted();
    const reached = await (holdMs === 0 ? catchUp(wanted) : catchUpWhileHeld(wanted, holdMs));
    const gap = reached ? (await readLive(group.pool, group)).events - reached.events : Infinity;
    if (gap < batch) return;
    if (!reached || gap > behind / 2) holdMs = Math.min(holdMs + HOLD_MS, MAX_HOLD_MS);
    behind = gap;
  }
}

/** Undefined if the time was too short. */
async function catchUpWhileHeld(wanted: CatchUp, maxMs: number): Promise<LivePosition | undefined> {
  const { group } = wanted;
  await catchUp({ ...wanted, maxMs: TURN_MS });
  return transaction(group.pool, async (client) => {
    await run(client, sql`set local idle_in_transaction_session_timeout = '60s'`);
    await lockLive(client, group);
    return catchUp({ ...wanted, maxMs });
  });
}

/**
 * Brings a version to the position that the live one has now, which it returns; to the head where that has nothing of the
 * log. Undefined if the time was over before.
 */
export async function catchUp(wanted: CatchUp): Promise<LivePosition | undefined> {
  const { group, version, onProgress, signal, batch = BATCH, maxMs = Infinity } = wanted;
  const live = await readLive(group.pool, group);
  const partitions = [...live.cursors.keys()];
  const end = performance.now() + maxMs;
  const work = async (): Promise<boolean> => {
    for (let partition = partitions.shift(); partition !== undefined; partition = partitions.shift()) {
      const upTo = live.isBegun ? live.cursors.get(partition) : undefined;
      const runner = group.runner({ partition, batch, version, upTo });
      for (
        let step = await stepWithRetries(runner, group);
        step !== 'idle';
        step = await stepWithRetries(runner, group)
      ) {
        signal?.throwIfAborted();
        if (performance.now() > end) return false;
        if (onProgress) onProgress(await progressOf(wanted, live));
      }
    }
    return true;
  };
  const isWhole = await Promise.all(Array.from({ length: CONCURRENT_PARTITIONS }, work));
  onProgress?.(await progressOf(wanted, live));
  return isWhole.every(Boolean) ? live : undefined;
}

const progressOf = async ({ group, version }: CatchUp, live: LivePosition): Promise<RebuildStageProgress> => ({
  stage: 'catching up',
  done: await countProjectedEvents(group.pool, group, version),
  total: live.events,
});

/** A step, retried while the log or the database cannot be reached. */
async function stepWithRetries(runner: LogRunner, group: BoundGroup): Promise<RunnerStep> {
  for (let pauseMs = 100; ; pauseMs *= 2) {
    try {
      const step = await runner.step();
      if (step === 'outrun') await setTimeout(OUTRUN_MS);
      return step;
    } catch (error) {
      const passes = error instanceof LogUnavailable || isUnavailable(error);
      if (!passes || error instanceof EpochChanged || pauseMs > MAX_PAUSE_MS) throw error;
      group.invalidateCaches();
      await setTimeout(pauseMs);
    }
  }
}

/** The result of work while the live version was held, and how many events it waited for. */
export interface LiveHoldResult<T> {
  readonly result: T;
  readonly heldUp: number;
}

/** Catches up closely, locks the live version where it is, brings the new one to the same position, and does the work then. */
export async function whileLiveIsHeld<T>(
  filling: CatchUp,
  work: (live: LivePosition, client: PoolClient) => Promise<T>,
): Promise<LiveHoldResult<T>> {
  const { group, version, batch, signal } = filling;
  const { pool } = group;
  await catchUpClosely(filling);
  return transaction(pool, async (client) => {
    await run(client, sql`set local idle_in_transaction_session_timeout = '60s'`);
    const before = await countProjectedEvents(pool, group, version);
    const live = await lockLive(client, group);
    await catchUp({ group, version, batch, signal });
    const heldUp = (await countProjectedEvents(pool, group, version)) - before;
    return { result: await work(live, client), heldUp };
  });
}

/** The position of the live version. */
export interface LivePosition {
  readonly version: number;
  /** By partition. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  readonly events: number;
  /** False if it has nothing of what is in this log, such as one that was replaced: what is filled beside it goes up to the head. */
  readonly isBegun: boolean;
  /** False if it also has rows of partitions that other stores serve now. */
  readonly ownOnly: boolean;
}

export const readLive = (on: Queryable, group: BoundGroup): Promise<LivePosition> => position(on, group, sql``);

/** Reads the live position, and locks it there until the transaction ends. */
const lockLive = (on: Queryable, group: BoundGroup): Promise<LivePosition> =>
  position(on, group, sql`for update of projection_checkpoints`);

async function position(on: Queryable, { name, log, share }: BoundGroup, lock: Sql): Promise<LivePosition> {
  const rows = await run<{ version: number; partition: number; cursor: Cursor; epoch: string; events: string }>(
    on,
    sql`select version, partition, cursor, epoch, events
      from projection_checkpoints join projection_groups on name = projection_group and version = live_version
      where projection_group = ${name} order by partition ${lock}`,
  );
  const epoch = await log.epoch();
  const own = rows.filter(({ partition }) => serves(share, partition));
  const heads = await Promise.all(own.map(({ partition }) => log.head(partition)));
  const hasSome = own.some(({ cursor }) => cursor !== BEGINNING) || heads.every((head) => head === BEGINNING);
  return {
    version: rows[0]?.version ?? 1,
    cursors: new Map(own.map(({ partition, cursor }) => [partition, cursor])),
    events: own.reduce((sum, { events }) => sum + Number(events), 0),
    isBegun: hasSome && own.every((row) => row.epoch === epoch),
    ownOnly: own.length === rows.length,
  };
}

/** Events that a version has projected. */
export async function countProjectedEvents(on: Queryable, { name }: BoundGroup, version: number): Promise<number> {
  const [row] = await run<{ events: number }>(
    on,
    sql`select coalesce(sum(events), 0)::float8 as events from projection_checkpoints
      where projection_group = ${name} and version = ${version}`,
  );
  return row?.events ?? 0;
}
