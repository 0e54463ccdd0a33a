import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { Backoff, pause } from '@ledgerline/platform/log/backoff';
import {
  EpochChanged,
  LogTampered,
  LogUnavailable,
  type Cursor,
  type LogReader,
} from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { TablesOfAnotherProgram } from '../versions/program-tables';
import type { LiveRunner } from './group-runner';
import type { Step } from './partition-runner';

interface PartitionLoop {
  readonly runner: LiveRunner;
  readonly log: LogReader<unknown>;
  readonly partition: number;
  readonly logger: Logger;
  /** Called when the connection was lost. */
  readonly invalidateCaches: () => void;
  readonly signal: AbortSignal;
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
  let isAtHead = false;
  while (!signal.aborted) {
    try {
      const { cursor } = runner;
      const step: Step = await (isAtHead ? runner.stepAtHead() : runner.step());
      isAtHead = step === 'idle';
      outage.succeeded();
      stops.resumed();
      if (step === 'idle') await waitForMore(loop);
      if (step === 'outrun') await standBy(loop, cursor);
      backoff.reset();
    } catch (error) {
      isAtHead = false;
      await recover(loop, error, backoff, { outage, stops });
    }
  }
}

async function waitForMore({ log, partition, runner, signal }: PartitionLoop): Promise<void> {
  if (runner.cursor !== undefined) await log.waitForMore(partition, runner.cursor, { timeoutMs: IDLE_MS, signal });
}

/** Waits as long as another process moves the checkpoint, which was there when this one tried to. */
async function standBy({ runner, signal }: PartitionLoop, cursor: Cursor | undefined): Promise<void> {
  let before: Cursor | undefined;
  let found = cursor;
  do {
    await pause(STANDBY_MS * (1 + Math.random() / 2), signal);
    [before, found] = [found, await runner.locate()];
  } while (found !== before && !signal.aborted);
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

/** Errors whose message says all. */
const SENTENCES = [LogTampered, EpochChanged, StartFailure, TablesOfAnotherProgram];

/** Logs one line when a partition stops, one for each other reason, and one when it goes on. */
export class StopLog {
  private reason: string | undefined;

  constructor(private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>) {}

  stopped(why: string, err: unknown): void {
    if (why === this.reason) return;
    this.reason = why;
    const isSentence = SENTENCES.some((type) => err instanceof type);
    const level = err instanceof TablesOfAnotherProgram ? 'warn' : 'error'; // an upgrade is under way
    this.logger[level](isSentence ? {} : { err }, `stopped: ${why}`);
  }

  resumed(): void {
    if (this.reason === undefined) return;
    this.reason = undefined;
    this.logger.info('no longer stopped');
  }
}
