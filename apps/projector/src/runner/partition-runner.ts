import type { Pool } from 'pg';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import type { Semaphore } from '@ledgerline/platform/database/semaphore';
import { EpochChanged, type Cursor, type LogReader } from '@ledgerline/platform/log/log-reader';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import type { TableChanges, ProjectionGroup } from '../projections/projection-group';
import { resolveOwnTables, resolveTables, type ResolvedTables } from '../versions/program-tables';
import {
  BatchReader,
  BatchRefused,
  positionAfterBatch,
  onBatch,
  type PartitionLogBatch,
  type PartitionBatch,
  type RunnerPosition,
  type ReadBatch,
} from './batch-reader';
import { BatchWriter } from './batch-writer';
import { type CheckpointKey, addDigest, markStopped, readCheckpoint } from './checkpoint';
import { loadRules } from './erasure-rules';
import { readParkedSet, type EventToPark } from './parked-events';

export interface RunnerOptions {
  readonly partition: number;
  /** Approximate number of events per transaction. */
  readonly batch: number;
  /** The version to write: the live one, whichever that is, or another one. */
  readonly version: number | 'live';
  /** Where to stop, as if the log ended there; undefined = at its head. */
  readonly upTo?: Cursor | undefined;
  /** Called for each event that is parked because of its own error. */
  readonly onParked?: ((parked: EventToPark) => void) | undefined;
  /** Called with each batch that was written, and awaited. */
  readonly onWritten?: ((batch: PartitionLogBatch) => Promise<void>) | undefined;
}

interface Parts<Event> extends RunnerOptions {
  readonly log: LogReader<Event>;
  readonly group: ProjectionGroup<Event>;
  /** See `BatchWriter`. */
  readonly pool: Pool;
  readonly semaphore: Semaphore;
}

export interface LogRunner {
  /** The position after the last batch this process wrote or found written. */
  readonly cursor: Cursor | undefined;
  /**
   * Reads, prepares and writes one batch, or parks the event that cannot be projected; after an error the next step
   * continues from the checkpoint.
   */
  step(): Promise<RunnerStep>;
  /** Records in the checkpoint why the partition is stopped. */
  stop(why: string): Promise<void>;
}

/**
 * moved: a batch was written, or had no events for the group · idle: there is nothing more · outrun: another process
 * writes this partition, or wrote this batch.
 */
export type RunnerStep = 'moved' | 'idle' | 'outrun';

type Computed = PartitionBatch & { readonly changes: TableChanges };

const MIN_BATCH = 100;

/** A batch that keeps more hits in memory than these is written before the next one is read. */
const MAX_HITS_KEPT = 500_000;

/** Writes one partition of a log into the read models of a group, batch by batch; rows and checkpoint go together. */
export class PartitionRunner<Event> implements LogRunner {
  private readonly reader: BatchReader<Event>;
  private readonly writer: BatchWriter<Event>;
  private position: RunnerPosition | undefined;
  /** The version and revision of the checkpoint that caches are not older than. */
  private revision = '';
  /** The batch of the next step. */
  private read: ReadBatch<Event> | undefined;
  private ahead: Promise<Computed> | undefined;
  /** Events of the next batch; fewer after a failure, in case the batch took too long or has an event to be parked. */
  private max: number;

  constructor(private readonly parts: Parts<Event>) {
    this.reader = new BatchReader(parts);
    this.writer = new BatchWriter(parts);
    this.max = parts.batch;
  }

  get partition(): number {
    return this.parts.partition;
  }

  get cursor(): Cursor | undefined {
    return this.position?.cursor;
  }

  async step(): Promise<RunnerStep> {
    for (;;) {
      try {
        return await this.writeNext();
      } catch (error) {
        const { position } = this;
        this.resetPosition();
        if (position && !isUnavailable(error) && (await this.isOutdated(position))) continue; // its tables may be gone
        if (!(error instanceof BatchRefused)) {
          this.max = Math.min(this.max, Math.max(Math.ceil(this.max / 2), MIN_BATCH));
          throw error;
        }
        this.parts.group.invalidateCaches(); // which are no reason to park anything
        if (error.batch.size <= 1) return this.park(error);
        this.max = Math.ceil(error.batch.size / 2);
      }
    }
  }

  /** Reads the batch of the next step, which may be written otherwise: see `wrote`. */
  async readNext(): Promise<ReadBatch<Event>> {
    const position = (this.position ??= await this.findPosition());
    return (this.read ??= await this.readAfter(position));
  }

  /** To be called when a batch that was read is written. */
  async wrote(batch: PartitionLogBatch): Promise<RunnerStep> {
    this.max = Math.min(this.max * 2, this.parts.batch);
    this.position = positionAfterBatch(batch);
    this.read = undefined;
    await this.parts.onWritten?.(batch);
    return batch.atHead ? 'idle' : 'moved';
  }

  async stop(why: string): Promise<void> {
    await markStopped(this.parts.pool, this.key((await this.resolve()).version), why);
  }

  /** The cursor of the checkpoint, whoever moved it there. */
  async locate(): Promise<Cursor | undefined> {
    const { version } = await this.resolve();
    return (await readCheckpoint(this.parts.pool, this.key(version)))?.cursor;
  }

  private async writeNext(): Promise<RunnerStep> {
    const next = await (this.ahead ?? this.readNext());
    const { batch } = next;
    this.ahead = undefined;
    this.read = undefined;
    if (batch.to === batch.from.cursor) {
      await this.confirm(batch);
      return 'idle';
    }
    if (await onBatch(batch, () => this.computeAndWrite(next))) return this.wrote(batch);
    this.resetPosition();
    return 'outrun';
  }

  /** Nothing followed: the log is the one of the checkpoint, which may be without a digest, as one of an earlier program. */
  private async confirm({ from, digest }: PartitionLogBatch): Promise<void> {
    const key = this.key(from.version);
    if (from.isStopped) await markStopped(this.parts.pool, key, null);
    const isNew = from.digest === undefined && digest !== undefined;
    if (isNew) await addDigest(this.parts.pool, key, { cursor: from.cursor, digest });
    this.position = { ...from, isStopped: false, digest: from.digest ?? digest };
  }

  /** Makes the next step start from the checkpoint. */
  private resetPosition(): void {
    this.position = undefined;
    this.read = undefined;
    this.ahead = undefined;
  }

  /** Writes a batch of one event without it. @throws what refused it, where it has none */
  private async park({ batch, cause }: BatchRefused): Promise<RunnerStep> {
    if (batch.size === 0) throw cause;
    const parked = this.reader.describeFirst(batch, cause);
    const isParked = await this.writer.write([{ batch, events: 0, parked: [parked], found: [], asOf: undefined }], []);
    if (!isParked) return 'outrun';
    this.parts.onParked?.(parked);
    return batch.atHead ? 'idle' : 'moved';
  }

  /** False when another process writes this partition, or wrote this batch. */
  private async computeAndWrite(next: ReadBatch<Event> | Computed): Promise<boolean> {
    const computed = 'changes' in next ? next : withChanges(next, await this.writer.compute([next]));
    const { batch, changes } = computed;
    return this.writer.write([computed], changes.statements, () => {
      if (!batch.atHead && (changes.hits ?? 0) <= MAX_HITS_KEPT) this.computeAhead(positionAfterBatch(batch), changes);
    });
  }

  /**
   * Computes the next batch while this one is being written, from tables as they were before this one and from its
   * changes. A batch is only written if the checkpoint is where the batch began, so both are right or neither is written.
   */
  private computeAhead(position: RunnerPosition, unwritten: TableChanges): void {
    const work = async () => {
      const next = await this.readAfter(position);
      return withChanges(next, await onBatch(next.batch, () => this.writer.compute([next], unwritten)));
    };
    this.ahead = work();
    this.ahead.catch(() => undefined); // TRICKY: it is awaited by the next step, perhaps long after it failed
  }

  private readAfter(from: RunnerPosition): Promise<ReadBatch<Event>> {
    return this.reader.read(from, { max: this.max, isExact: this.max < this.parts.batch });
  }

  private async findPosition(): Promise<RunnerPosition> {
    const { pool, log, group, partition } = this.parts;
    const { version, tables, layout } = await this.resolve();
    const checkpoint = await readCheckpoint(pool, this.key(version));
    if (!checkpoint) throw new RangeError(`${group.name} has no checkpoint for partition ${partition}.`);
    const epoch = await log.epoch();
    if (checkpoint.epoch !== epoch) {
      throw new EpochChanged(
        `The log was replaced: the checkpoint belongs to epoch ${checkpoint.epoch}, the log is of ${epoch}. Rebuild ${group.name}.`,
      );
    }
    const { cursor, digest, stopped, parkedRevision } = checkpoint;
    const revision = `${version} ${parkedRevision}`;
    if (revision !== this.revision) group.invalidateCaches(); // a repair may have given texts other ids
    this.revision = revision;
    const parked = await readParkedSet(pool, this.key(version), epoch);
    const written = { partition, version, tables, layout };
    return {
      ...written,
      cursor,
      digest: digest ?? undefined,
      epoch,
      isStopped: stopped !== null,
      parked,
      erased: await loadRules(pool, group.name),
      parkedRevision,
    };
  }

  private async isOutdated({ layout }: RunnerPosition): Promise<boolean> {
    return (await readLayout(this.parts.pool, this.parts.group.name))?.id !== layout;
  }

  private resolve(): Promise<ResolvedTables> {
    const { pool, group, version } = this.parts;
    return version === 'live' ? resolveOwnTables(pool, group) : resolveTables(pool, group, version);
  }

  private key(version: number): CheckpointKey {
    return { group: this.parts.group.name, version, partition: this.parts.partition };
  }
}

/** Without its events: these are not kept while the batch is written. */
const withChanges = ({ batch, events, parked, found, asOf }: PartitionBatch, changes: TableChanges): Computed => ({
  batch,
  events,
  parked,
  found,
  asOf,
  changes,
});
