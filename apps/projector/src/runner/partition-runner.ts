import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { pipelinedTransaction, run } from '@ledgerline/platform/database/pool';
import { EpochChanged, type Cursor, type LogBatch, type LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import type { Changes, Compute, ProjectionGroup } from '../projections/projection-group';
import { advanceCheckpoint, claimCheckpoint, markStopped, readCheckpoint, type CheckpointKey } from './checkpoint';
import type { Semaphore } from './semaphore';

export interface RunnerOptions {
  readonly partition: number;
  /** Approximate number of events per transaction. */
  readonly batch: number;
  /** Which version to write: always the live one, or a fixed one. */
  readonly version: number | (() => Promise<number>);
  /** Where to stop, as if the log ended there; undefined = at its head. */
  readonly upTo?: Cursor | undefined;
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
  /** Reads, prepares and writes one batch; after an error the next step continues from the checkpoint. */
  step(): Promise<Step>;
  /** Records in the checkpoint why the partition is stopped. */
  stop(why: string): Promise<void>;
}

/**
 * moved: a batch was written, or had no events for the group · idle: there is nothing more · outrun: another process
 * writes this partition, or wrote this batch.
 */
export type Step = 'moved' | 'idle' | 'outrun';

/** A batch that was read and prepared, perhaps computed already, not yet written. */
interface Prepared {
  readonly to: Cursor;
  readonly digest: string | undefined;
  readonly atHead: boolean;
  readonly events: number;
  readonly asOf: number | undefined;
  readonly compute: Compute;
  readonly changes?: Changes;
}

type Computed = Prepared & { readonly changes: Changes };

interface Position {
  readonly version: number;
  readonly cursor: Cursor;
  readonly digest: string | undefined;
  /** Whether the checkpoint says that the partition is stopped, which no batch has shown to be over yet. */
  readonly isStopped: boolean;
}

const MIN_BATCH = 100;

/** A batch that keeps more hits in memory than these is written before the next one is read. */
const MAX_HITS_KEPT = 500_000;

/** A commit does not wait for the disk: a crash loses rows and checkpoint together. */
const BEGIN = 'begin; set local synchronous_commit = off';

/** Writes one partition of a log into the read models of a group, batch by batch; rows and checkpoint go together. */
export class PartitionRunner<Event> implements Runner {
  private position: Position | undefined;
  private ahead: Promise<Prepared> | undefined;
  /** Events of the next batch; fewer after a failure, in case the batch took too long. */
  private max: number;

  constructor(private readonly parts: Parts<Event>) {
    this.max = parts.batch;
  }

  get cursor(): Cursor | undefined {
    return this.position?.cursor;
  }

  async step(): Promise<Step> {
    try {
      const position = (this.position ??= await this.findPosition());
      const prepared = await (this.ahead ?? this.prepare(position));
      this.ahead = undefined;
      if (prepared.to === position.cursor) {
        if (position.isStopped) await markStopped(this.parts.pool, this.place(position.version), null);
        this.position = { ...position, isStopped: false };
        return 'idle';
      }
      if (!(await this.computeAndWrite(position, prepared))) {
        this.resetPosition();
        return 'outrun';
      }
      this.position = after(position, prepared);
      this.max = Math.min(this.max * 2, this.parts.batch);
      return prepared.atHead ? 'idle' : 'moved';
    } catch (error) {
      this.resetPosition();
      this.max = Math.max(Math.ceil(this.max / 2), MIN_BATCH);
      throw error;
    }
  }

  async stop(why: string): Promise<void> {
    await markStopped(this.parts.pool, this.place(await this.findVersion()), why);
  }

  /** Makes the next step start from the checkpoint. */
  private resetPosition(): void {
    this.position = undefined;
    this.ahead = undefined;
  }

  /** False when another process writes this partition, or wrote this batch. */
  private async computeAndWrite(position: Position, prepared: Prepared): Promise<boolean> {
    const { pool, group, semaphore } = this.parts;
    if (prepared.changes) return this.write(position, { ...prepared, changes: prepared.changes });
    // saves computing what another process wrote
    if (prepared.events > 0 && !(await this.isAt(position))) return false;
    const changes = await semaphore.run(() => prepared.compute(pool, schemaOf(group.name, position.version)));
    return this.write(position, { ...prepared, changes });
  }

  /**
   * Sends everything together with the commit, so that the transaction never waits for this process, which computes
   * the next batch meanwhile.
   */
  private async write(position: Position, prepared: Computed): Promise<boolean> {
    const { pool, semaphore } = this.parts;
    const { to, digest, events, asOf, atHead, changes } = prepared;
    const place = this.place(position.version);
    const work = async (client: PoolClient) => {
      const isOwn = await this.claim(client, position);
      return async () => {
        if (!isOwn) return false;
        const statements = changes.statements.map((statement) => run(client, statement));
        const progress = { cursor: to, digest, events, asOf };
        const written = Promise.all([...statements, advanceCheckpoint(client, place, progress)]);
        if (!atHead && (changes.hits ?? 0) <= MAX_HITS_KEPT) this.computeAhead(after(position, prepared), changes);
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

  /** Whether no other process holds the checkpoint and it is where this runner left it. */
  private async claim(on: PoolClient, { version, cursor }: Position): Promise<boolean> {
    const checkpoint = await claimCheckpoint(on, this.place(version));
    return checkpoint?.cursor === cursor && (typeof this.parts.version === 'number' || version === checkpoint.live);
  }

  /**
   * Computes the next batch while this one is being written, from tables as they were before this one and from its
   * changes. A batch is only written if the checkpoint is where the batch began, so both are right or neither is written.
   */
  private computeAhead(position: Position, unwritten: Changes): void {
    const { pool, group } = this.parts;
    const work = async () => {
      const prepared = await this.prepare(position);
      return { ...prepared, changes: await prepared.compute(pool, schemaOf(group.name, position.version), unwritten) };
    };
    this.ahead = work();
    this.ahead.catch(() => undefined); // TRICKY: it is awaited by the next step, perhaps long after it failed
  }

  private async prepare(from: Position): Promise<Prepared> {
    const { group } = this.parts;
    const batch = await this.read(from);
    const compute = await group.prepare(batch.events);
    const asOf = newest(batch.events.map((event) => group.loggedAt(event)));
    const { next: to, digest, atHead } = batch;
    return { to, digest, atHead, events: batch.events.length, asOf, compute };
  }

  /** A batch as it would be if the log ended where this runner is to stop. */
  private async read({ cursor: from, digest }: Position): Promise<LogBatch<Event>> {
    const { log, group, partition, upTo: end } = this.parts;
    if (end !== undefined && log.compare(from, end) >= 0) return { events: [], next: from, atHead: true };
    const batch = await log.read(partition, from, { max: this.max, types: group.types, digest });
    if (end === undefined || log.compare(batch.next, end) < 0) return batch;
    const events = batch.events.filter((event) => log.compare(group.cursorOf(event), end) <= 0);
    const isWhole = log.compare(batch.next, end) === 0;
    return { events, next: end, atHead: true, digest: isWhole ? batch.digest : undefined };
  }

  private async findPosition(): Promise<Position> {
    const { pool, log, group, partition } = this.parts;
    const version = await this.findVersion();
    const checkpoint = await readCheckpoint(pool, this.place(version));
    if (!checkpoint) throw new RangeError(`${group.name} has no checkpoint for partition ${partition}.`);
    const epoch = await log.epoch();
    if (checkpoint.epoch !== epoch) {
      throw new EpochChanged(
        `The log was replaced: the checkpoint belongs to epoch ${checkpoint.epoch}, the log is of ${epoch}. Rebuild ${group.name}.`,
      );
    }
    const { cursor, digest, stopped } = checkpoint;
    return { version, cursor, digest: digest ?? undefined, isStopped: stopped !== null };
  }

  private findVersion(): Promise<number> {
    const { version } = this.parts;
    return typeof version === 'number' ? Promise.resolve(version) : version();
  }

  private place(version: number): CheckpointKey {
    return { group: this.parts.group.name, version, partition: this.parts.partition };
  }
}

/** The position behind a batch that was written. */
const after = ({ version }: Position, { to, digest }: Prepared): Position => ({
  version,
  cursor: to,
  digest,
  isStopped: false,
});

const newest = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
