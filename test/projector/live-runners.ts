import type { BoundGroup } from '../../apps/projector/src/runner/bound-group';
import type { LiveOptions, LiveRunner } from '../../apps/projector/src/runner/run-partition';

/** The partitions of the logs that tests of several partitions read. */
export const PARTITIONS = [0, 1, 2] as const;

/** Returns the runners of one process. */
export function runnersOf(group: BoundGroup, options: Partial<LiveOptions> = {}): readonly LiveRunner[] {
  const runner = group.liveRunners({ batch: 1_000, signal: new AbortController().signal, ...options });
  return PARTITIONS.map((partition) => runner(partition));
}

export const stepAll = (runners: readonly LiveRunner[]) => Promise.all(runners.map((runner) => runner.stepAtHead()));
