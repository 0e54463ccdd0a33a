import { readHitTraces } from '@ledgerline/platform/intake-log/hit-traces';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { currentTracer, type Tracer } from '@ledgerline/platform/tracing/tracing';
import type { Pool } from 'pg';
import type { ObservedPartition, ObserveSteps } from './observe-steps';

/** Hits of further traces end at the log. */
const MAX_TRACES = 128;

interface Batch {
  readonly after: Cursor;
  readonly upTo: Cursor;
  /** Epoch ms. */
  readonly startedAt: number;
}

/**
 * After each batch, a span in the trace of every hit that was in it: a batch has hits of many traces, and a span has one
 * parent. `pool`: of the database of the intake log.
 */
export function stepTraces(pool: Pool, logger: Logger): ObserveSteps {
  const tracer = currentTracer();
  const outage = new OutageLog(logger, {
    began: 'the traces of hits cannot be read; their projection is not traced',
    ended: 'the traces of hits can be read again',
  });
  return (runner, observed) => {
    if (tracer === undefined || observed.group.name === 'registry') return runner;
    let after: Cursor | undefined; // unknown at first, and while another process writes the partition
    return {
      get cursor() {
        return runner.cursor;
      },
      async step() {
        const startedAt = Date.now();
        const result = await runner.step();
        const upTo = runner.cursor;
        if (after !== undefined && upTo !== undefined && upTo !== after) {
          await traceBatch(tracer, pool, observed, { after, upTo, startedAt }).then(
            () => outage.succeeded(),
            (error: unknown) => outage.failed(error), // the batch is written
          );
        }
        after = upTo;
        return result;
      },
      stop: (why) => runner.stop(why),
    };
  };
}

async function traceBatch(tracer: Tracer, pool: Pool, { group, partition }: ObservedPartition, batch: Batch) {
  const { after, upTo, startedAt } = batch;
  const at = Date.now();
  const attributes = {
    'ledgerline.projection.group': group.name,
    'ledgerline.log.after': `${partition}:${after}`,
    'ledgerline.log.up_to': `${partition}:${upTo}`,
  };
  for (const parent of await readHitTraces(pool, { partition, after, upTo, types: group.types, limit: MAX_TRACES }))
    tracer.start(`project ${group.name}`, { kind: 'consumer', parent, attributes, startedAt }).end({ at });
}
