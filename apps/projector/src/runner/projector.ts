import { setMaxListeners } from 'node:events';
import { migrateReadStore } from '@ledgerline/platform/database/migrate';
import { assertShares, namingStore } from '@ledgerline/platform/read-stores/placement';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Pool } from 'pg';
import type { BoundGroup } from './bound-group';
import { openLiveVersion } from './live-version';
import { createMissingIndexes } from './missing-indexes';
import { runMaintenance, type MaintenanceTask } from './maintenance';
import type { ObserveSteps } from './observe-steps';
import type { EventToPark } from './parked-events';
import type { GroupWork } from './repeat-work';
import { runPartition } from './run-partition';
import { hasKeptCounts, runPacking } from './run-packing';
import { runSealing } from './run-sealing';
import type { PackingObserver } from '../packing/packing-metrics';
import { hasSealedDays } from '../sealing/seal-days';
import type { SealingObserver } from '../sealing/sealing-metrics';
import { startWhenUp } from './start-when-up';

interface ProjectorParts {
  /** Of the main database. */
  readonly pool: Pool;
  readonly groups: readonly BoundGroup[];
  readonly maintenance: readonly MaintenanceTask[];
  readonly logger: Logger;
  readonly observe?: ObserveSteps;
  readonly sealing?: SealingObserver;
  readonly packing?: PackingObserver;
  /** Fills pending tables of a group, and keeps the version before current, until the signal. */
  readonly keepVersions?: (work: GroupWork) => Promise<void>;
  /** Compares the tables of a group with its log until the signal. */
  readonly reconcile?: (work: GroupWork) => Promise<void>;
}

/** Events per transaction: a full batch still takes well under a second. */
const LIVE_BATCH = 4_000;

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
    const { logger } = this.parts;
    const { pool } = group;
    const observe: ObserveSteps = this.parts.observe ?? ((runner) => runner);
    const version = await openLiveVersion(pool, group, group.log);
    await createMissingIndexes(pool, group);
    const { signal } = this.stopping;
    const beside = { group, logger: logger.child({ group: group.name, store: group.share.place }), signal };
    if (this.parts.keepVersions) this.loops.push(this.parts.keepVersions(beside));
    if (this.parts.reconcile && !isRegistry(group)) this.loops.push(this.parts.reconcile(beside));
    if (hasSealedDays(group)) this.loops.push(runSealing({ ...beside, observer: this.parts.sealing }));
    if (hasKeptCounts(group)) this.loops.push(runPacking({ ...beside, observer: this.parts.packing }));
    const partitions = await group.log.partitions();
    logger.info({ group: group.name, version, partitions }, 'projecting');
    for (let partition = 0; partition < partitions; partition++) {
      const onParked = ({ error, cursor, id, type, subject }: EventToPark) =>
        logger.error(
          { err: error, group: group.name, partition, cursor, id, type, subject },
          'parked an event that cannot be projected; see `npm run projections -- parked list`',
        );
      const options = { partition, batch: LIVE_BATCH, version: 'live' as const, onParked };
      const runner = observe(group.runner(options), { group, partition });
      this.loops.push(
        runPartition({
          runner,
          log: group.log,
          partition,
          logger: logger.child({ group: group.name, partition }),
          invalidateCaches: () => group.invalidateCaches(),
          signal: this.stopping.signal,
          paceMs: group.paceMs,
        }),
      );
    }
  }
}

const isRegistry = ({ name }: BoundGroup): boolean => name === 'registry';
