import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Group } from '@ledgerline/contracts/read-models/groups';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import { Turns } from '../runner/turns';
import { PartitionRunner, type Runner, type RunnerOptions } from '../runner/partition-runner';
import { linksGroup } from './links/links-group';
import type { ProjectionGroup } from './projection-group';
import { registryGroup } from './registry/registry-group';
import { WebsitesGroup } from './websites/websites-group';

/** A group together with the log it reads. */
export interface BoundGroup {
  readonly name: Group;
  readonly builds: readonly ReadModel[];
  readonly meaning: readonly number[];
  readonly log: LogReader<unknown>;
  runner(options: RunnerOptions): Runner;
  distrust(): void;
}

export interface Sources {
  readonly eventStore: EventStore;
  readonly intakeLog: Pick<IntakeLog, keyof LogReader<unknown>>;
  readonly pool: Pool;
}

/** Batches that are worked out or written at once in one process: while one computes, the other is written. */
const AT_ONCE = 2;

/** Everything that is remembered. */
export function catalogue({ eventStore, intakeLog, pool }: Sources): readonly BoundGroup[] {
  const turns = new Turns(AT_ONCE);
  return [
    bind(registryGroup(), eventStore, pool, turns),
    bind(new WebsitesGroup(pool), intakeLog, pool, turns),
    bind(linksGroup(), intakeLog, pool, turns),
  ];
}

/** For one group alone; the types of its events stay inside. */
export function bind<Event>(
  group: ProjectionGroup<Event>,
  log: LogReader<Event>,
  pool: Pool,
  turns = new Turns(AT_ONCE),
): BoundGroup {
  return {
    name: group.name,
    builds: group.builds,
    meaning: group.meaning,
    log,
    runner: (options) => new PartitionRunner({ group, log, pool, turns, ...options }),
    distrust: () => group.distrust(),
  };
}
