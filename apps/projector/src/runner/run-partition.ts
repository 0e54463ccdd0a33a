import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { Backoff, pause } from '@ledgerline/platform/log/backoff';
import { EpochChanged, LogUnavailable, type LogReader } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { Runner } from './partition-runner';
import { TablesOfAnotherProgram } from './resolve-tables';
import { StopLog } from './stop-log';

interface PartitionLoop {
  readonly runner: Runner;
  readonly log: LogReader<unknown>;
  readonly partition: number;
  readonly logger: Logger;
  /** Called when the connection was lost. */
  readonly invalidateCaches: () => void;
  readonly signal: AbortSignal;
  /**
   * At the head of the log a batch begins so long after the one before, so that batches grow with the traffic: each
   * costs as much as hundreds of events. The first one after a pause goes at once.
   */
  readonly paceMs: number;
}

const IDLE_MS = 5_000;
const STANDBY_MS = 1_000;
const STOPPED_MS = 10_000;

/** Runs a partition until the signal: retries after outages, waits while another process runs it, never ends by itself. */
export async function runPartition(loop: PartitionLoop): Promise<void> {
  const { runner, signal } = loop;
  const backoff = new Backoff(signal);
  const outage = new OutageLog(loop.logger, { began: 'interrupted; trying again', ended: 'no longer interrupted' });
  const stops = new StopLog(loop.logger);
  while (!signal.aborted) {
    try {
      const begunAt = performance.now();
      const step = await runner.step();
      outage.succeeded();
      stops.resumed();
      if (step === 'idle') {
        await waitForMore(loop);
        await pause(Math.max(0, begunAt + loop.paceMs - performance.now()), signal);
      }
      if (step === 'outrun') await pause(STANDBY_MS * (1 + Math.random() / 2), signal);
      backoff.reset();
    } catch (error) {
      await recover(loop, error, backoff, { outage, stops });
    }
  }
}

async function waitForMore({ log, partition, runner, signal }: PartitionLoop): Promise<void> {
  if (runner.cursor !== undefined) await log.waitForMore(partition, runner.cursor, { timeoutMs: IDLE_MS, signal });
}

async function recover(
  { runner, logger, invalidateCaches, signal }: PartitionLoop,
  error: unknown,
  backoff: Backoff,
  { outage, stops }: { outage: OutageLog; stops: StopLog },
): Promise<void> {
  if (signal.aborted) return;
  if (error instanceof LogUnavailable || (!(error instanceof EpochChanged) && isUnavailable(error))) {
    invalidateCaches();
    outage.failed(error);
    await backoff.pause();
    return;
  }
  const why = error instanceof Error ? error.message : String(error);
  stops.stopped(why, error);
  if (error instanceof TablesOfAnotherProgram) return pause(STANDBY_MS, signal); // soon its own are filled
  await runner.stop(why).catch((failure: unknown) => logger.warn({ err: failure }, 'could not note that it stopped'));
  await pause(STOPPED_MS, signal);
}
