import { setMaxListeners } from 'node:events';
import type { Pool } from 'pg';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { migrateReadStore } from '@ledgerline/platform/database/migrate';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { Backoff, pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { assertShares, namingStore, serves } from '@ledgerline/platform/read-stores/read-stores';
import { hasRollups } from '../compaction/compact-rollups';
import { hasSealedDays } from '../sealing/seal-days';
import { openLiveVersion } from '../versions/live-version';
import { createMissingIndexes } from '../versions/version-tables';
import type { BoundGroup } from './bound-group';
import {
  runMaintenance,
  runCompaction,
  runPartsPacking,
  runSealing,
  type GroupWork,
  type MaintenanceTask,
} from './group-work';
import type { CompactionObserver, SealingObserver, StepObserver } from './observers';
import { StopLog, runPartition } from './run-partition';

interface ProjectorParts {
  /** The pool of the main database. */
  readonly pool: Pool;
  readonly groups: readonly BoundGroup[];
  readonly maintenance: readonly MaintenanceTask[];
  readonly logger: Logger;
  readonly observer?: StepObserver;
  readonly sealing?: SealingObserver;
  readonly compaction?: CompactionObserver;
  /** Switches a group to the tables that were prepared for this build, before it starts. @throws StartFailure */
  readonly takeOver?: (work: GroupWork) => Promise<void>;
  /** Fills tables of a group that have nothing of a long log, before it is projected. */
  readonly fillFirst?: (work: GroupWork) => Promise<void>;
  /** Fills pending tables of a group, and keeps the version before current, until the signal. */
  readonly keepVersions?: (work: GroupWork) => Promise<void>;
  /** Compares the tables of a group with its log until the signal. */
  readonly reconcile?: (work: GroupWork) => Promise<void>;
  /** Takes the visits of erased profiles out of the tables of a group, if it has any, until the signal. */
  readonly erase?: (work: GroupWork) => Promise<void>;
}

/** Events per transaction: a full batch takes about a fifth of a second, also where visitors have ten visits and more. */
const LIVE_BATCH = 2_000;

/** Keeps all read models up to date: one loop for each group and partition. */
export class Projector {
  private readonly stopping = new AbortController();
  private readonly loops: Promise<void>[] = [];

  constructor(private readonly parts: ProjectorParts) {}

  /** @throws StartFailure where a read store is not the one that its place in the list asks for */
  async start(): Promise<void> {
    const { pool, groups, maintenance, logger } = this.parts;
    setMaxListeners(0, this.stopping.signal); // every loop listens
    for (const group of groups.filter(isRegistry)) await this.startWhenUp(group, () => this.startGroup(group));
    await Promise.all(groups.filter((group) => !isRegistry(group)).map((group) => this.startInStore(group)));
    this.loops.push(runMaintenance({ pool, tasks: maintenance, logger, signal: this.stopping.signal }));
  }

  /** Resolves when every batch that was being written is committed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.loops);
  }

  /** Starts at once, or, if its read store is away, as soon as that is back; the others do not wait for it. */
  private async startInStore(group: BoundGroup): Promise<void> {
    const { connectionString = '' } = group.pool.options;
    const start = async () => {
      assertShares(group.share.stores, await group.log.partitions());
      try {
        await migrateReadStore(connectionString);
        await this.startGroup(group);
      } catch (error) {
        throw namingStore(error, group.share);
      }
    };
    await this.startWhenUp(group, start);
  }

  private async startWhenUp(group: BoundGroup, start: () => Promise<void>): Promise<void> {
    const logger = this.parts.logger.child({ group: group.name, store: group.share.place });
    const waiting = await startWhenUp(start, logger, this.stopping.signal);
    if (waiting) this.loops.push(waiting.started);
  }

  private async startGroup(group: BoundGroup): Promise<void> {
    const { logger, observer } = this.parts;
    const { pool } = group;
    const { signal } = this.stopping;
    const beside = { group, logger: logger.child({ group: group.name, store: group.share.place }), signal };
    await this.parts.takeOver?.(beside);
    const version = await openLiveVersion(pool, group, group.log);
    await createMissingIndexes(pool, group);
    const filled = this.parts.fillFirst?.(beside) ?? Promise.resolve();
    const { keepVersions, reconcile, erase } = this.parts;
    for (const start of [keepVersions, reconcile, erase]) if (start) this.loops.push(start(beside));
    if (hasSealedDays(group))
      this.loops.push(runSealing({ ...beside, observer: this.parts.sealing }), runPartsPacking(beside));
    if (hasRollups(group)) this.loops.push(runCompaction({ ...beside, observer: this.parts.compaction }));
    const partitions = await group.log.partitions();
    logger.info({ group: group.name, version, partitions }, 'projecting');
    const runner = group.liveRunners({
      batch: LIVE_BATCH,
      onParked: ({ error, cursor, id, type, subject }, partition) =>
        logger.error(
          { err: error, group: group.name, partition, cursor, id, type, subject },
          'parked an event that cannot be projected; see `npm run projections -- parked list`',
        ),
      onWritten: async (batch) => observer?.trace(group, batch),
      ...(observer && { measure: (step) => observer.measure(group.name, step) }),
      signal,
    });
    for (let partition = 0; partition < partitions; partition++) {
      if (!serves(group.share, partition)) continue;
      const loop = {
        runner: runner(partition),
        log: group.log,
        partition,
        logger: logger.child({ group: group.name, partition }),
        invalidateCaches: () => group.invalidateCaches(),
        signal,
      };
      this.loops.push(filled.then(() => runPartition(loop)));
    }
  }
}

const isRegistry = ({ name }: BoundGroup): boolean => name === 'registry';

const STOPPED_MS = 10_000;

/**
 * Starts something in a store. Undefined when it has started; what resolves later if the store, or the log that it is
 * filled from, is away now.
 * @throws what it fails with for another reason at the first try; later this is logged, and it is tried again
 */
async function startWhenUp(
  start: () => Promise<void>,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ readonly started: Promise<void> } | undefined> {
  const outage = new OutageLog(logger, {
    began: 'the store or the log is away; trying again',
    ended: 'the store and the log are back',
  });
  const isStarted = async () => {
    try {
      await start();
    } catch (error) {
      if (!(error instanceof LogUnavailable || isUnavailable(error))) throw error;
      outage.failed(error);
      return false;
    }
    outage.succeeded();
    return true;
  };
  if (await isStarted()) return undefined;
  return { started: retry(isStarted, new StopLog(logger), signal) };
}

async function retry(isStarted: () => Promise<boolean>, stops: StopLog, signal: AbortSignal): Promise<void> {
  const backoff = new Backoff(signal);
  while (!signal.aborted) {
    await backoff.pause();
    try {
      if (await isStarted()) return;
    } catch (error) {
      stops.stopped(error instanceof Error ? error.message : String(error), error);
      await pause(STOPPED_MS, signal);
    }
  }
}
