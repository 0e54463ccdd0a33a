import { setTimeout } from 'node:timers/promises';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { pause } from '@ledgerline/platform/log/backoff';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { serves } from '@ledgerline/platform/read-stores/read-store';
import type { BoundGroup } from '../runner/bound-group';
import { describeFinding } from './findings';
import { reconcilePartition } from './reconcile-partition';
import { findOldest, noteUncompared } from './reconciliations';

interface ReconcilingLoop {
  readonly group: BoundGroup;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The part of the time in which it works, in this process or in Postgres: one of both waits for the other. */
const SHARE = 0.01;
/** A partition that was compared less than that ago is not compared again. */
const EVERY_MS = 10 * 60_000;
const IDLE_MS = 60_000;

/** Compares the partitions of a group with its log in turn, the one that was compared longest ago first, until the signal. */
export async function runReconciling(loop: ReconcilingLoop): Promise<void> {
  const { logger, signal } = loop;
  const outage = new OutageLog(logger, {
    began: 'tables cannot be compared with the log; trying again',
    ended: 'tables are compared with the log again',
  });
  const failed = (error: unknown) => {
    if (!signal.aborted) outage.failed(error);
  };
  while (!signal.aborted) {
    try {
      const hasCompared = await compareOldest(loop);
      outage.succeeded();
      if (hasCompared) continue;
    } catch (error) {
      failed(error);
    }
    await pause(IDLE_MS, signal);
  }
}

/** In the one process that holds the lock, which its connection keeps. False if none was due. */
async function compareOldest({ group, logger, signal }: ReconcilingLoop): Promise<boolean> {
  const { pool, log, name, share } = group;
  const partitions = Array.from({ length: await log.partitions() }, (_, at) => at).filter((each) =>
    serves(share, each),
  );
  for (const partition of partitions) await noteUncompared(pool, { group: name, partition });
  const client = await pool.connect();
  try {
    const lock = sql`select pg_try_advisory_lock(hashtext(${`ledgerline reconcile ${name}`})) as mine`;
    const [claim] = await run<{ mine: boolean }>(client, lock);
    const oldest = claim?.mine ? await findOldest(pool, name, partitions) : undefined;
    if (!oldest || oldest.agoMs < EVERY_MS) return false;
    const onFinding: Parameters<typeof reconcilePartition>[0]['onFinding'] = (finding, isNew) => {
      if (isNew) logger.error({ finding }, `a table differs from the log: ${describeFinding(finding)}`);
    };
    await reconcilePartition({ group, partition: oldest.partition, rest: restFor(SHARE, signal), onFinding });
    return true;
  } finally {
    client.release(true); // with its lock
  }
}

/** Pauses so long after each piece of work that only that share of the time is worked; throws at the signal. */
function restFor(share: number, signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    const workedMs = performance.now() - since;
    await setTimeout(workedMs / share - workedMs, undefined, { signal });
    since = performance.now();
  };
}
