import { isDueToData, isServerError, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { EpochChanged, LogTampered, LogUnavailable, type Cursor } from '@ledgerline/platform/log/log-reader';
import type { WrittenTables } from '../projections/written-tables';
import type { ParkedSet } from './parked-events';

/** Where a runner is in its partition. */
export interface Position {
  readonly version: number;
  readonly tables: WrittenTables;
  /** In which these are the tables of the version. */
  readonly layout: string;
  readonly cursor: Cursor;
  readonly digest: string | undefined;
  readonly epoch: string;
  /** Whether the checkpoint says that the partition is stopped, which no batch has shown to be over yet. */
  readonly isStopped: boolean;
  readonly parked: ParkedSet;
  /** Of what is parked. */
  readonly parkedRevision: number;
}

/** What was read from the log, without its events: these are not kept while the batch is written. */
export interface Batch {
  readonly from: Position;
  /** How many events were read. */
  readonly size: number;
  /** The first one of them. */
  readonly first: unknown;
  readonly to: Cursor;
  readonly digest: string | undefined;
  readonly atHead: boolean;
}

/** The position behind a batch that was written. */
export const after = ({ from, to, digest }: Batch): Position => ({ ...from, cursor: to, digest, isStopped: false });

/** A batch cannot be projected because of one of its events; the cause is the error. */
export class BatchRefused extends Error {
  constructor(
    readonly batch: Batch,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'BatchRefused';
  }
}

/** Runs work on a batch. @throws BatchRefused for an error that an event may have caused */
export async function onBatch<T>(batch: Batch, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDueToEvents(error) ? new BatchRefused(batch, error) : error;
  }
}

/** False for what passes by itself, for another log, and where the server refuses a statement whatever its data. */
export function isDueToEvents(error: unknown): boolean {
  if (error instanceof LogUnavailable || error instanceof EpochChanged || error instanceof LogTampered) return false;
  if (isUnavailable(error)) return false;
  return !isServerError(error) || isDueToData(error);
}
