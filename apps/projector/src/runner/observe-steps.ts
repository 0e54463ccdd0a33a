import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Histogram } from 'prom-client';
import type { BoundGroup } from './bound-group';
import type { Runner } from './partition-runner';

/** What a runner writes. */
export interface ObservedPartition {
  readonly group: Pick<BoundGroup, 'name' | 'types'>;
  readonly partition: number;
}

/** Measures or traces the steps of a runner. */
export type ObserveSteps = (runner: Runner, observed: ObservedPartition) => Runner;

export function stepMetrics({ registry }: Metrics): ObserveSteps {
  const durations = new Histogram({
    name: 'ledgerline_projection_step_duration_seconds',
    help: 'Duration of reading, computing and writing a batch by group and result: moved, idle, outrun or failed',
    labelNames: ['group', 'result'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return (runner, { group }) => ({
    get cursor() {
      return runner.cursor;
    },
    async step() {
      const end = durations.startTimer({ group: group.name });
      const result = await runner.step().catch((error: unknown) => {
        end({ result: 'failed' });
        throw error;
      });
      end({ result });
      return result;
    },
    stop: (why) => runner.stop(why),
  });
}
