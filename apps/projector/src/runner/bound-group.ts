import type { Group } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import { projectionCatalogue } from '../projections/catalogue';
import type { ProjectionGroup } from '../projections/projection-group';
import { PartitionRunner, type Runner, type RunnerOptions } from './partition-runner';
import { Semaphore } from './semaphore';

/** A projection group together with the log it reads; the type of its events stays inside. */
export interface BoundGroup {
  readonly name: Group;
  readonly builds: readonly ReadModel[];
  readonly schemaVersion: readonly number[];
  readonly log: LogReader<unknown>;
  /** See `PartitionLoop`. */
  readonly paceMs: number;
  runner(options: RunnerOptions): Runner;
  invalidateCaches(): void;
}

interface Sources {
  readonly eventStore: EventStore;
  readonly intakeLog: Pick<IntakeLog, keyof LogReader<unknown>>;
  readonly pool: Pool;
}

/**
 * Batches written at once in one process. Each of their partitions computes its next batch meanwhile, and keeps at most
 * that one; a batch that was not computed ahead takes a turn for computing, too.
 */
const CONCURRENT_BATCHES = 2;

/** Of traffic; what a person has decided is visible at once, and what programs decide in a row nearly so. */
const TRAFFIC_PACE_MS = 400;
const DECIDED_PACE_MS = 50;

export function boundGroups({ eventStore, intakeLog, pool }: Sources): readonly BoundGroup[] {
  const semaphore = new Semaphore(CONCURRENT_BATCHES);
  const groups = projectionCatalogue(pool);
  return [
    ...groups.eventStore.map((group) => bind(group, eventStore, pool, { semaphore, paceMs: DECIDED_PACE_MS })),
    ...groups.intakeLog.map((group) => bind(group, intakeLog, pool, { semaphore, paceMs: TRAFFIC_PACE_MS })),
  ];
}

export function bind<Event>(
  group: ProjectionGroup<Event>,
  log: LogReader<Event>,
  pool: Pool,
  { semaphore = new Semaphore(CONCURRENT_BATCHES), paceMs = 0 }: { semaphore?: Semaphore; paceMs?: number } = {},
): BoundGroup {
  return {
    name: group.name,
    builds: group.builds,
    schemaVersion: group.schemaVersion,
    log,
    paceMs,
    runner: (options) => new PartitionRunner({ group, log, pool, semaphore, ...options }),
    invalidateCaches: () => group.invalidateCaches(),
  };
}
