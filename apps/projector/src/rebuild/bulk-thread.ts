import { parentPort } from 'node:worker_threads';
import { orUnavailable } from '@ledgerline/platform/database/database-errors';
import { openPool } from '@ledgerline/platform/database/pool';
import { offsetOf } from '@ledgerline/platform/intake-log/intake-log';
import { SegmentReader } from '@ledgerline/platform/intake-log/segment-reader';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { packEveryDay } from '../sealing/pack-parts';
import type { BulkWork } from './bulk-work';
import { countStored, type StoredPart } from './count-stored';
import { readLogRange, type Range, type SpilledRange } from './read-range';
import { writeBucket, type VisitorBucket } from './write-bucket';

/** One of the things that a thread does. */
export type BulkStep =
  | { readonly read: Range }
  | { readonly write: VisitorBucket }
  | { readonly count: StoredPart }
  | { readonly seal: string };

/** The task that one thread does at a time. */
export type BulkTask = BulkStep & {
  readonly id: number;
  /** The addresses of the intake log, and of the read store. */
  readonly logUrl: string;
  readonly storeUrl: string;
};

/** A message about a task: so many more events are done. */
export interface EventsDone {
  readonly id: number;
  readonly events: number;
}

/** The class and the code of an error would not reach the other thread. */
export type BulkAnswer =
  | { readonly done: SpilledRange | undefined; readonly events: number }
  | { readonly failure: Readonly<Record<string, unknown>> };

let opened: BulkWork | undefined;

/** Runs in a thread that is ended with its connections. */
export default async function perform(task: BulkTask): Promise<BulkAnswer> {
  try {
    const work = (opened ??= openWork(task));
    let done = 0;
    const onEvents = (events: number) => {
      done += events;
      parentPort?.postMessage({ id: task.id, events } satisfies EventsDone);
    };
    if ('read' in task) return { done: await readLogRange(work, task.read, onEvents), events: done };
    if ('write' in task) await writeBucket(work, task.write, onEvents);
    else if ('count' in task) await countStored(work, task.count, onEvents);
    else await packEveryDay(work.pool, task.seal);
    return { done: undefined, events: done };
  } catch (error) {
    const { name, message, stack, code, severity } = error as Error & Readonly<Record<'code' | 'severity', unknown>>;
    return { failure: { name, message, stack, code, ...(severity === undefined ? {} : { severity }) } };
  }
}

function openWork({ logUrl, storeUrl }: BulkTask): BulkWork {
  const reading = openPool({ url: logUrl, name: 'rebuild-read', max: 1 });
  const segments = new SegmentReader(reading);
  const pool = openProjectionPool(storeUrl, { name: 'rebuild', max: 2 });
  const log: BulkWork['log'] = {
    read: (partition, after, options) =>
      orUnavailable('The intake log', () => segments.read(partition, after, options)),
    compare: (a, b) => offsetOf(a) - offsetOf(b),
  };
  return { log, pool, copying: copyingPool(storeUrl), group: new WebsitesGroup(pool) };
}

/** One connection for `copy`. */
export const copyingPool = (url: string) =>
  openPool({ url, name: 'rebuild-copy', max: 1, statementTimeoutMs: 600_000, idleInTransactionTimeoutMs: 600_000 });
