import { setTimeout } from 'node:timers/promises';
import { isUnavailable } from '@ledgerline/platform/database/unavailable';
import { EpochChanged, LogUnavailable, type LogReader } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Runner } from './partition-runner';

export interface Keeper {
  readonly runner: Runner;
  readonly log: LogReader<unknown>;
  readonly partition: number;
  readonly logger: Logger;
  /** Called when the database was gone. */
  readonly distrust: () => void;
  readonly signal: AbortSignal;
}

const IDLE_MS = 5_000;
const STAND_BY_MS = 1_000;
const STOPPED_MS = 10_000;
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;

/** Runs a partition until the signal; waits out outages, stands by for another process, never gives up for good. */
export async function keepRunning(keeper: Keeper): Promise<void> {
  const { runner, signal } = keeper;
  let backoff = FIRST_BACKOFF_MS;
  while (!signal.aborted) {
    try {
      const step = await runner.step();
      if (step === 'idle') await waitForMore(keeper);
      if (step === 'outrun') await standBy(signal);
      backoff = FIRST_BACKOFF_MS;
    } catch (error) {
      await recover(keeper, error, backoff);
      backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
    }
  }
}

async function waitForMore({ log, partition, runner, signal }: Keeper): Promise<void> {
  if (runner.cursor !== undefined) await log.waitForMore(partition, runner.cursor, { timeoutMs: IDLE_MS, signal });
}

/** Leaves the partition to the process that was faster, and looks again a moment later whether it still is. */
const standBy = (signal: AbortSignal) => pause(STAND_BY_MS * (1 + Math.random() / 2), signal);

async function recover({ runner, logger, distrust, signal }: Keeper, error: unknown, backoff: number): Promise<void> {
  if (signal.aborted) return;
  if (error instanceof LogUnavailable || (!(error instanceof EpochChanged) && isUnavailable(error))) {
    distrust();
    logger.warn({ err: error }, 'interrupted; trying again');
    await pause(backoff, signal);
    return;
  }
  const why = error instanceof Error ? error.message : String(error);
  logger.error({ err: error, cursor: runner.cursor }, `stopped: ${why}`);
  await runner.stop(why).catch((failure: unknown) => logger.warn({ err: failure }, 'could not note that it stopped'));
  await pause(STOPPED_MS, signal);
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);
