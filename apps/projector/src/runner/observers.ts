import type { Pool } from 'pg';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { readHitTraces } from '@ledgerline/platform/intake-log/encoded-hit';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import { currentTracer, type Tracer } from '@ledgerline/platform/tracing/tracing';
import type { CompactionResult } from '../compaction/compact-rollups';
import type { DayCounts, SealingPass } from '../sealing/seal-days';
import type { PartitionLogBatch } from './batch-reader';
import type { BoundGroup } from './bound-group';
import type { RunnerStep } from './partition-runner';

/** Measures and traces what is written of a group. */
export interface StepObserver {
  /** Runs a step of a partition, or of several at once, and notes how long it took. */
  measure(group: Group, step: () => Promise<RunnerStep>): Promise<RunnerStep>;
  /** Called with each batch of a partition that was written; never rejects. */
  trace(group: TracedGroup, batch: PartitionLogBatch): Promise<void>;
}

type TracedGroup = Pick<BoundGroup, 'name' | 'types'>;

/** Hits of further traces end at the log. */
const MAX_TRACES = 128;

export function stepMetrics({ registry }: Metrics): StepObserver['measure'] {
  const durations = new Histogram({
    name: 'ledgerline_projection_step_duration_seconds',
    help: 'Duration of reading, computing and writing a batch by group and result: moved, idle, outrun or failed',
    labelNames: ['group', 'result'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return async (group, step) => {
    const end = durations.startTimer({ group });
    const result = await step().catch((error: unknown) => {
      end({ result: 'failed' });
      throw error;
    });
    end({ result });
    return result;
  };
}

/**
 * After each batch, a span in the trace of every hit that was in it: a batch has hits of many traces, and a span has one
 * parent. `pool`: of the database of the intake log.
 */
export function stepTraces(pool: Pool, logger: Logger): StepObserver['trace'] {
  const tracer = currentTracer();
  const outage = new OutageLog(logger, {
    began: 'the traces of hits cannot be read; their projection is not traced',
    ended: 'the traces of hits can be read again',
  });
  return async (group, batch) => {
    if (tracer === undefined || group.name === 'registry') return;
    await traceBatch(tracer, pool, group, batch).then(
      () => outage.succeeded(),
      (error: unknown) => outage.failed(error), // the batch is written
    );
  };
}

async function traceBatch(
  tracer: Tracer,
  pool: Pool,
  { name, types }: TracedGroup,
  batch: PartitionLogBatch,
): Promise<void> {
  const { from, to: upTo, begunAt: startedAt } = batch;
  const { partition, cursor: after } = from;
  const at = Date.now();
  const attributes = {
    'ledgerline.projection.group': name,
    'ledgerline.log.after': `${partition}:${after}`,
    'ledgerline.log.up_to': `${partition}:${upTo}`,
  };
  for (const parent of await readHitTraces(pool, { partition, after, upTo, types, limit: MAX_TRACES }))
    tracer.start(`project ${name}`, { kind: 'consumer', parent, attributes, startedAt }).end({ at });
}

/** Measures the sealing of days. */
export interface SealingObserver {
  readonly onDay: NonNullable<SealingPass['onDay']>;
  /** The days of a read store, by its place, after each pass. */
  readonly onDays: (store: number, days: DayCounts) => void;
}

export function sealingMetrics({ registry }: Metrics): SealingObserver {
  const durations = new Histogram({
    name: 'ledgerline_session_day_sealing_duration_seconds',
    help: 'Duration of sealing a day of sessions by result: sealed, changed (by a batch meanwhile), taken, failed',
    labelNames: ['result'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers: [registry],
  });
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const days = gauge(
    'ledgerline_session_days',
    'Days of websites with sessions by state: sealed, open (today, too)',
    'store',
    'state',
  );
  const waiting = gauge(
    'ledgerline_session_days_unsealed_seconds',
    'How long the oldest open day has been over; 0 = all of them are sealed',
    'store',
  );
  return {
    onDay: (result, durationMs) => durations.observe({ result }, durationMs / 1000),
    onDays: (place, { sealed, open, oldestOverMs }) => {
      const store = String(place);
      days.set({ store, state: 'sealed' }, sealed);
      days.set({ store, state: 'open' }, open);
      waiting.set({ store }, oldestOverMs / 1000);
    },
  };
}

/** Measures the compaction of rollups. */
export interface CompactionObserver {
  /** Called after each pass that found rows to merge. */
  readonly onPass: (result: CompactionResult, durationMs: number) => void;
}

export function compactionMetrics({ registry }: Metrics): CompactionObserver {
  const durations = new Histogram({
    name: 'ledgerline_kept_counts_packing_duration_seconds',
    help: 'Duration of a pass that merges rows of kept counts',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers: [registry],
  });
  const rows = new Counter({
    name: 'ledgerline_kept_counts_packed_rows_total',
    help: 'Rows of kept counts that were merged into fewer ones',
    registers: [registry],
  });
  return {
    onPass({ merged }, durationMs) {
      durations.observe(durationMs / 1000);
      rows.inc(merged);
    },
  };
}
