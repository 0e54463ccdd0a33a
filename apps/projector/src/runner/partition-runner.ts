import { pipelinedTransaction, run, transaction } from '@ledgerline/platform/database/pool';
import { EpochChanged, type Cursor, type LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import type { Changes, ProjectionGroup } from '../projections/projection-group';
import { after, BatchRefused, onBatch, type Position } from './batch';
import { BatchReader, type PreparedBatch } from './batch-reader';
import {
  addDigest,
  advanceCheckpoint,
  claimCheckpoint,
  markStopped,
  readCheckpoint,
  type CheckpointKey,
} from './checkpoint';
import { insertParked, readParkedSet, type EventToPark } from './parked-events';
import { resolveTables, type ResolvedTables } from './resolve-tables';
import type { Semaphore } from './semaphore';

export interface RunnerOptions {
  readonly partition: number;
  /** Approximate number of events per transaction. */
  readonly batch: number;
  /** Which version to write: the live one, whichever that is, or another one. */
  readonly version: number | 'live';
  /** Where to stop, as if the log ended there; undefined = at its head. */
  readonly upTo?: Cursor | undefined;
  /** Called for each event that is parked because of its own error. */
  readonly onParked?: ((parked: EventToPark) => void) | undefined;
}

interface Parts<Event> extends RunnerOptions {
  readonly log: LogReader<Event>;
  readonly group: ProjectionGroup<Event>;
  /** With `pipeline`, and an idle limit for transactions: a process that hangs loses its lock after that time. */
  readonly pool: Pool;
  readonly semaphore: Semaphore;
}

export interface Runner {
  /** The position after the last batch this process wrote or found written. */
  readonly cursor: Cursor | undefined;
  /**
   * Reads, prepares and writes one batch, or parks the event that cannot be projected; after an error the next step
   * continues from the checkpoint.
   */
  step(): Promise<Step>;
  /** Records in the checkpoint why the partition is stopped. */
  stop(why: string): Promise<void>;
}

/**
 * moved: a batch was written, or had no events for the group · idle: there is nothing more · outrun: another process
 * writes this partition, or wrote this batch.
 */
export type Step = 'moved' | 'idle' | 'outrun';

type Computed = Omit<PreparedBatch, 'compute'> & { readonly changes: Changes };

const MIN_BATCH = 100;

/** A batch that keeps more hits in memory than these is written before the next one is read. */
const MAX_HITS_KEPT = 500_000;

/** A commit does not wait for the disk: a crash loses rows and checkpoint together. */
const BEGIN = 'begin; set local synchronous_commit = off';

/** Writes one partition of a log into the read models of a group, batch by batch; rows and checkpoint go together. */
export class PartitionRunner<Event> implements Runner {
  private readonly reader: BatchReader<Event>;
  private position: Position | undefined;
  private ahead: Promise<PreparedBatch | Computed> | undefined;
  /** Events of the next batch; fewer after a failure, in case the batch took too long or has an event to be parked. */
  private max: number;

  constructor(private readonly parts: Parts<Event>) {
    this.reader = new BatchReader(parts);
    this.max = parts.batch;
  }

  get cursor(): Cursor | undefined {
    return this.position?.cursor;
  }

  async step(): Promise<Step> {
    for (;;) {
      try {
        const step = await this.writeNext();
        if (step !== 'outrun') this.max = Math.min(this.max * 2, this.parts.batch);
        return step;
      } catch (error) {
        this.resetPosition();
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

  private async writeNext(): Promise<Step> {
    const position = (this.position ??= await this.findPosition());
    const prepared = await (this.ahead ?? this.prepare(position));
    this.ahead = undefined;
    const { batch } = prepared;
    if (batch.to === position.cursor) {
      await this.confirm(position, batch.digest);
      return 'idle';
    }
    if (!(await onBatch(batch, () => this.computeAndWrite(position, prepared)))) {
      this.resetPosition();
      this.parts.group.invalidateCaches(); // a repair may have given texts other ids
      return 'outrun';
    }
    this.position = after(batch);
    return batch.atHead ? 'idle' : 'moved';
  }

  /** Nothing followed: the log is the one of the checkpoint, which may be without a digest, as one of an earlier program. */
  private async confirm(position: Position, digest: string | undefined): Promise<void> {
    const place = this.place(position.version);
    if (position.isStopped) await markStopped(this.parts.pool, place, null);
    const isNew = position.digest === undefined && digest !== undefined;
    if (isNew) await addDigest(this.parts.pool, place, { cursor: position.cursor, digest });
    this.position = { ...position, isStopped: false, digest: position.digest ?? digest };
  }

  async stop(why: string): Promise<void> {
    await markStopped(this.parts.pool, this.place((await this.resolve()).version), why);
  }

  /** Makes the next step start from the checkpoint. */
  private resetPosition(): void {
    this.position = undefined;
    this.ahead = undefined;
  }

  /** Writes a batch of one event without it. @throws what refused it, where it has none */
  private async park({ batch, cause }: BatchRefused): Promise<Step> {
    if (batch.size === 0) throw cause;
    const { version, epoch } = batch.from;
    const parked = this.reader.describeFirst(batch, cause);
    const isParked = await transaction(this.parts.pool, async (client) => {
      if (!(await this.claim(client, batch.from))) return false;
      await run(client, insertParked(this.place(version), epoch, [parked]));
      const progress = { cursor: batch.to, digest: batch.digest, events: 0, asOf: undefined };
      await advanceCheckpoint(client, this.place(version), progress);
      return true;
    });
    if (!isParked) return 'outrun';
    this.parts.onParked?.(parked);
    return batch.atHead ? 'idle' : 'moved';
  }

  /** False when another process writes this partition, or wrote this batch. */
  private async computeAndWrite(position: Position, prepared: PreparedBatch | Computed): Promise<boolean> {
    const { pool, semaphore } = this.parts;
    if ('changes' in prepared) return this.write(position, prepared);
    // saves computing what another process wrote
    if (prepared.events > 0 && !(await this.isAt(position))) return false;
    const { compute, ...batch } = prepared;
    const changes = await semaphore.run(() => compute(pool, position.tables));
    return this.write(position, { ...batch, changes });
  }

  /**
   * Sends everything together with the commit, so that the transaction never waits for this process, which computes
   * the next batch meanwhile.
   */
  private async write(position: Position, { batch, events, parked, asOf, changes }: Computed): Promise<boolean> {
    const { pool, semaphore } = this.parts;
    const place = this.place(position.version);
    const work = async (client: PoolClient) => {
      const isOwn = await this.claim(client, position);
      return async () => {
        if (!isOwn) return false;
        const waiting = parked.length > 0 ? [insertParked(place, position.epoch, parked)] : [];
        const statements = [...changes.statements, ...waiting].map((statement) => run(client, statement));
        const progress = { cursor: batch.to, digest: batch.digest, events, asOf };
        const written = Promise.all([...statements, advanceCheckpoint(client, place, progress)]);
        if (!batch.atHead && (changes.hits ?? 0) <= MAX_HITS_KEPT) this.computeAhead(after(batch), changes);
        await written;
        return true;
      };
    };
    return semaphore.run(() => pipelinedTransaction(pool, work, BEGIN));
  }

  private async isAt({ version, cursor }: Position): Promise<boolean> {
    const checkpoint = await readCheckpoint(this.parts.pool, this.place(version));
    return checkpoint?.cursor === cursor;
  }

  /** Whether no other process holds the checkpoint, and it and what is parked are as this runner knows them. */
  private async claim(on: PoolClient, { version, layout, cursor, parkedRevision }: Position): Promise<boolean> {
    const checkpoint = await claimCheckpoint(on, this.place(version));
    if (checkpoint?.cursor !== cursor || checkpoint.parkedRevision !== parkedRevision) return false;
    return checkpoint.layout === layout;
  }

  /**
   * Computes the next batch while this one is being written, from tables as they were before this one and from its
   * changes. A batch is only written if the checkpoint is where the batch began, so both are right or neither is written.
   */
  private computeAhead(position: Position, unwritten: Changes): void {
    const { pool } = this.parts;
    const work = async () => {
      const { compute, ...prepared } = await this.prepare(position);
      const changes = await onBatch(prepared.batch, () => compute(pool, position.tables, unwritten));
      return { ...prepared, changes };
    };
    this.ahead = work();
    this.ahead.catch(() => undefined); // TRICKY: it is awaited by the next step, perhaps long after it failed
  }

  private prepare(from: Position): Promise<PreparedBatch> {
    return this.reader.prepare(from, { max: this.max, isExact: this.max < this.parts.batch });
  }

  private async findPosition(): Promise<Position> {
    const { pool, log, group, partition } = this.parts;
    const { version, tables, layout } = await this.resolve();
    const checkpoint = await readCheckpoint(pool, this.place(version));
    if (!checkpoint) throw new RangeError(`${group.name} has no checkpoint for partition ${partition}.`);
    const epoch = await log.epoch();
    if (checkpoint.epoch !== epoch) {
      throw new EpochChanged(
        `The log was replaced: the checkpoint belongs to epoch ${checkpoint.epoch}, the log is of ${epoch}. Rebuild ${group.name}.`,
      );
    }
    const { cursor, digest, stopped, parkedRevision } = checkpoint;
    const parked = await readParkedSet(pool, this.place(version), epoch);
    const written = { version, tables, layout };
    return {
      ...written,
      cursor,
      digest: digest ?? undefined,
      epoch,
      isStopped: stopped !== null,
      parked,
      parkedRevision,
    };
  }

  private resolve(): Promise<ResolvedTables> {
    return resolveTables(this.parts.pool, this.parts.group, this.parts.version);
  }

  private place(version: number): CheckpointKey {
    return { group: this.parts.group.name, version, partition: this.parts.partition };
  }
}
