import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { Backoff, pause } from '@ledgerline/platform/log/backoff';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { StopLog } from './stop-log';

const STOPPED_MS = 10_000;

/**
 * Starts something in a store. Undefined when it has started; what resolves later if the store, or the log that it is
 * filled from, is away now.
 * @throws what it fails with for another reason at the first try; later this is logged, and it is tried again
 */
export async function startWhenUp(
  start: () => Promise<void>,
  logger: Logger,
  signal: AbortSignal,
): Promise<{ readonly started: Promise<void> } | undefined> {
  const outage = new OutageLog(logger, {
    began: 'the store or the log is away; trying again',
    ended: 'the store and the log are back',
  });
  const isStarted = async () => {
    try {
      await start();
    } catch (error) {
      if (!(error instanceof LogUnavailable || isUnavailable(error))) throw error;
      outage.failed(error);
      return false;
    }
    outage.succeeded();
    return true;
  };
  if (await isStarted()) return undefined;
  return { started: retry(isStarted, new StopLog(logger), signal) };
}

async function retry(isStarted: () => Promise<boolean>, stops: StopLog, signal: AbortSignal): Promise<void> {
  const backoff = new Backoff(signal);
  while (!signal.aborted) {
    await backoff.pause();
    try {
      if (await isStarted()) return;
    } catch (error) {
      stops.stopped(error instanceof Error ? error.message : String(error), error);
      await pause(STOPPED_MS, signal);
    }
  }
}
