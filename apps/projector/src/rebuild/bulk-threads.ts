import { availableParallelism } from 'node:os';
import type { Pool } from 'pg';
import { Piscina } from 'piscina';
import { Semaphore } from '@ledgerline/platform/database/semaphore';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { EpochChanged, LogTampered, LogUnavailable, type LogReader } from '@ledgerline/platform/log/log-reader';
import { WebsitesGroup } from '../projections/websites/websites-group';
import type { BoundGroup } from '../runner/bound-group';
import { packEveryDay } from '../sealing/pack-parts';
import { copyingPool, type BulkAnswer, type BulkStep, type BulkTask, type EventsDone } from './bulk-thread';
import type { BulkWork } from './bulk-work';
import { countStored, type StoredPart } from './count-stored';
import { readLogRange, type Range, type SpilledRange } from './read-range';
import { writeBucket, type VisitorBucket } from './write-bucket';

/**
 * The workers that read parts of a log and write buckets of visitors; `onEvents` is called with how many more are done.
 */
export interface Workers {
  /** The number of workers. */
  readonly count: number;
  read(range: Range, onEvents: (events: number) => void): Promise<SpilledRange>;
  write(bucket: VisitorBucket, onEvents: (events: number) => void): Promise<void>;
  countStored(part: StoredPart, onEvents: (events: number) => void): Promise<void>;
  /** Seals days of a version, those that no other seals. */
  seal(schema: string): Promise<void>;
  /** Ends them at once, whatever they do. */
  end(): Promise<void>;
}

/** Threads, except where few events are done before they have started, or the log is in the memory of this one. */
export const workersFor = ({ logUrl, log, pool }: BoundGroup, isMuch: boolean): Workers =>
  logUrl === undefined || !isMuch
    ? thisThread(log as LogReader<LoggedHit>, pool) // the one of websites
    : threads(logUrl, pool.options.connectionString ?? '');

/** A thread for each processor, each with connections of its own. */
function threads(logUrl: string, storeUrl: string): Workers {
  const count = availableParallelism();
  const pool = new Piscina<BulkTask, BulkAnswer>({
    filename: require.resolve('./bulk-thread'),
    minThreads: count,
    maxThreads: count,
    atomics: 'disabled', // they wait for the database
    resourceLimits: { maxYoungGenerationSizeMb: 32 },
  });
  const reports = new Map<number, (events: number) => void>();
  pool.on('message', ({ id, events }: EventsDone) => reports.get(id)?.(events));
  let tasks = 0;
  const perform = async (task: BulkStep, onEvents: (events: number) => void = () => undefined) => {
    const id = tasks++;
    let reported = 0;
    reports.set(id, (events) => {
      reported += events;
      onEvents(events);
    });
    const answer = await pool.run({ ...task, id, logUrl, storeUrl }).finally(() => reports.delete(id));
    if ('failure' in answer) throw asError(answer.failure);
    onEvents(answer.events - reported); // messages may come later than the answer
    return answer.done;
  };
  return {
    count,
    read: async (read, onEvents) => (await perform({ read }, onEvents)) as SpilledRange, // as reading answers it
    write: async (write, onEvents) => void (await perform({ write }, onEvents)),
    countStored: async (count, onEvents) => void (await perform({ count }, onEvents)),
    seal: async (seal) => void (await perform({ seal })),
    end: () => pool.destroy(),
  };
}

/** Errors whose class a caller checks. */
const CLASSES = { EpochChanged, LogTampered, LogUnavailable };

function asError({ name, message, ...rest }: Readonly<Record<string, unknown>>): Error {
  const known = Object.entries(CLASSES).find(([each]) => each === name)?.[1] ?? Error;
  return Object.assign(new known(String(message)), { name, ...rest });
}

/** This thread alone. */
function thisThread(log: LogReader<LoggedHit>, pool: Pool): Workers {
  const copying = copyingPool(pool.options.connectionString ?? '');
  const work: BulkWork = { log, pool, copying, group: new WebsitesGroup(pool) };
  const oneByOne = new Semaphore(1);
  const ended = new AbortController();
  const perform = <T>(task: () => Promise<T>) =>
    oneByOne.run(() => {
      ended.signal.throwIfAborted();
      return task();
    });
  return {
    count: 1,
    read: (range, onEvents) => perform(() => readLogRange(work, range, onEvents)),
    write: (bucket, onEvents) => perform(() => writeBucket(work, bucket, onEvents)),
    countStored: (part, onEvents) => perform(() => countStored(work, part, onEvents)),
    seal: (schema) => perform(() => packEveryDay(pool, schema)),
    end: async () => {
      ended.abort();
      await oneByOne.run(async () => (copying.ended ? undefined : copying.end()));
    },
  };
}
