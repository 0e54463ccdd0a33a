import { setImmediate } from 'node:timers/promises';
import type { Pool } from 'pg';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import type { Semaphore } from '@ledgerline/platform/database/semaphore';
import {
  type Cursor,
  EpochChanged,
  type LogReader,
  LogTampered,
  LogUnavailable,
} from '@ledgerline/platform/log/log-reader';
import { Backoff, pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { ProjectionGroup } from '../projections/projection-group';
import { TablesOfAnotherProgram } from '../versions/program-tables';
import type { ReadBatch } from './batch-reader';
import { BatchWriter } from './batch-writer';
import type { EventToPark } from './parked-events';
import { PartitionRunner, type LogRunner, type RunnerOptions, type RunnerStep } from './partition-runner';

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
      const step: RunnerStep = await (isAtHead ? runner.stepAtHead() : runner.step());
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
    before = found;
    found = await runner.locate();
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

/** The options with which the partitions of a group are kept at the head of the log, until the signal. */
export interface LiveOptions extends Pick<RunnerOptions, 'batch' | 'onWritten'> {
  readonly onParked?: (parked: EventToPark, partition: number) => void;
  /** Measures how a batch is read, computed and written. */
  readonly measure?: Measure;
  readonly signal: AbortSignal;
}

type Measure = (step: () => Promise<RunnerStep>) => Promise<RunnerStep>;

interface Parts<Event> extends LiveOptions {
  readonly log: LogReader<Event>;
  readonly group: ProjectionGroup<Event>;
  /** See `BatchWriter`. */
  readonly pool: Pool;
  readonly semaphore: Semaphore;
  /**
   * At the head of the log a batch begins so long after the one before, so that batches grow with the traffic: each
   * costs as much as hundreds of events. The first one after a pause goes at once.
   */
  readonly paceMs: number;
}

/** A partition of a group that is kept at the head of the log. */
export interface LiveRunner extends LogRunner {
  /** A step when the log has more, or may have: in one batch with those of other partitions. */
  stepAtHead(): Promise<RunnerStep>;
  /** The cursor of the checkpoint, whoever moved it there. */
  locate(): Promise<Cursor | undefined>;
}

interface Waiting<Event> {
  readonly runner: PartitionRunner<Event>;
  readonly step: () => Promise<RunnerStep>;
  readonly settle: (step: RunnerStep | Promise<RunnerStep>) => void;
}

/**
 * Runs the partitions of a group: those that are at the head of the log write one batch, which costs little more than
 * that of one partition. What cannot be written together is written partition by partition.
 */
export class GroupRunner<Event> {
  private readonly writer: BatchWriter<Event>;
  private readonly measure: Measure;
  private waiting: Waiting<Event>[] = [];
  private isRunning = false;

  constructor(private readonly parts: Parts<Event>) {
    this.writer = new BatchWriter(parts);
    this.measure = parts.measure ?? ((step) => step());
  }

  runner(partition: number): LiveRunner {
    const onParked = (parked: EventToPark) => this.parts.onParked?.(parked, partition);
    const runner = new PartitionRunner({ ...this.parts, partition, version: 'live', onParked });
    const step = () => this.measure(() => runner.step());
    return {
      get cursor() {
        return runner.cursor;
      },
      step,
      stepAtHead: () => new Promise((settle) => this.enter({ runner, step, settle })),
      stop: (why) => runner.stop(why),
      locate: () => runner.locate(),
    };
  }

  private enter(partition: Waiting<Event>): void {
    this.waiting.push(partition);
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) {
      await setImmediate(); // those that the same change of the log wakes come together
      const begunAt = performance.now();
      await this.stepAll(this.waiting.splice(0));
      await pause(Math.max(0, begunAt + this.parts.paceMs - performance.now()), this.parts.signal);
    }
    this.isRunning = false;
  }

  /** Never rejects: the steps of the partitions tell what fails. */
  private async stepAll(partitions: readonly Waiting<Event>[]): Promise<void> {
    const batches = partitions.length > 1 ? this.writable(await readAll(partitions)) : [];
    const written = (await this.write(batches)) ? batches : [];
    for (const { runner, step, settle } of partitions) {
      const batch = written.find(({ batch: { from } }) => from.partition === runner.partition)?.batch;
      settle(batch ? runner.wrote(batch) : step());
    }
  }

  /** Returns the batches with news up to the head, in the same tables, unless they are too large together. */
  private writable(batches: readonly ReadBatch<Event>[]): readonly ReadBatch<Event>[] {
    const news = batches.filter(({ batch: { atHead, from, to } }) => atHead && to !== from.cursor);
    const tables = news[0]?.batch.from;
    const some = news.filter(
      ({ batch: { from } }) => from.version === tables?.version && from.layout === tables.layout,
    );
    const size = some.reduce((sum, { batch }) => sum + batch.size, 0);
    return size > this.parts.batch ? [] : some;
  }

  private async write([first, ...others]: readonly ReadBatch<Event>[]): Promise<boolean> {
    if (!first || others.length === 0) return false;
    const write = async () => {
      const { statements } = await this.writer.compute([first, ...others]);
      return (await this.writer.write([first, ...others], statements)) ? 'idle' : 'outrun';
    };
    return this.measure(write).then(
      (step) => step === 'idle',
      () => {
        this.parts.group.invalidateCaches(); // the connection may have been lost
        return false;
      },
    );
  }
}

/** The next batches of partitions, without those that cannot be read. */
async function readAll<Event>(partitions: readonly Waiting<Event>[]): Promise<readonly ReadBatch<Event>[]> {
  const read = await Promise.allSettled(partitions.map(({ runner }) => runner.readNext()));
  return read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}
