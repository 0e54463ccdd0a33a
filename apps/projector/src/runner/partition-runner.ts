import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { EpochChanged, type Cursor, type LogBatch, type LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import type { Changes, Compute, ProjectionGroup } from '../projections/projection-group';
import type { Turns } from './turns';
import { advanceCheckpoint, claimCheckpoint, markStopped, readCheckpoint, type Place } from './checkpoint';

export interface RunnerOptions {
  readonly partition: number;
  /** Events per transaction, about. */
  readonly batch: number;
  /** Which version to write: always the one that answers, or a certain one. */
  readonly version: number | (() => Promise<number>);
  /** Where to stand still, as if nothing more were in the log; undefined = at its head. */
  readonly upTo?: () => Cursor | undefined;
}

interface Parts<Event> extends RunnerOptions {
  readonly log: LogReader<Event>;
  readonly group: ProjectionGroup<Event>;
  /** With `pipeline`, and an idle limit for transactions: a process that hangs loses its claim after that time. */
  readonly pool: Pool;
  readonly turns: Turns;
}

export interface Runner {
  /** How far it has come, as far as this process knows. */
  readonly cursor: Cursor | undefined;
  /** Reads, prepares and writes one batch. Whatever goes wrong, the checkpoint tells where to go on. */
  step(): Promise<Step>;
  /** Says in the checkpoint why it stands still. */
  stop(why: string): Promise<void>;
}

/**
 * moved: a batch was written, or nothing of it concerned the group · idle: there is nothing more · outrun: another
 * process is at it, or was.
 */
export type Step = 'moved' | 'idle' | 'outrun';

/** A batch on its way: read and prepared, perhaps worked out already, not yet written. */
interface Prepared {
  readonly to: Cursor;
  readonly atHead: boolean;
  readonly events: number;
  readonly asOf: number | undefined;
  readonly compute: Compute;
  readonly changes?: Changes;
}

type WorkedOut = Prepared & { readonly changes: Changes };

interface Position {
  readonly version: number;
  readonly cursor: Cursor;
}

const SMALLEST_BATCH = 100;

/** A batch that keeps more hits in memory than these is written before the next one is read. */
const MOST_HITS_KEPT = 500_000;

/** The next transaction may begin while the disk still writes the last one: a crash loses rows and checkpoint together. */
const BEGIN = 'begin; set local synchronous_commit = off';

/** Writes one partition of a log into the read models of a group, batch by batch; rows and checkpoint go together. */
export class PartitionRunner<Event> implements Runner {
  private position: Position | undefined;
  private ahead: Promise<Prepared> | undefined;
  /** Events of the next batch; fewer after a failure, in case it was the size that took too long. */
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
      const prepared = await (this.ahead ?? this.prepare(position.cursor));
      this.ahead = undefined;
      if (prepared.to === position.cursor) return 'idle';
      if (!(await this.workOutAndWrite(position, prepared))) {
        this.loseTrack();
        return 'outrun';
      }
      this.position = { ...position, cursor: prepared.to };
      this.max = Math.min(this.max * 2, this.parts.batch);
      return prepared.atHead ? 'idle' : 'moved';
    } catch (error) {
      this.loseTrack();
      this.max = Math.max(Math.ceil(this.max / 2), SMALLEST_BATCH);
      throw error;
    }
  }

  async stop(why: string): Promise<void> {
    await markStopped(this.parts.pool, this.place(await this.findVersion()), why);
  }

  /** Makes the next step start from what the checkpoint says. */
  private loseTrack(): void {
    this.position = undefined;
    this.ahead = undefined;
  }

  /** False when another process is at this batch, or was. */
  private async workOutAndWrite(position: Position, prepared: Prepared): Promise<boolean> {
    const { pool, group, turns } = this.parts;
    if (prepared.changes) return this.write(position, { ...prepared, changes: prepared.changes });
    const glance = await readCheckpoint(pool, this.place(position.version)); // this only spares work in vain
    if (glance?.cursor !== position.cursor) return false;
    const changes = await turns.take(() => prepared.compute(pool, schemaOf(group.name, position.version)));
    return this.write(position, { ...prepared, changes });
  }

  /**
   * Everything is sent together with the commit, so that the database never waits for this process, however long it
   * computes meanwhile.
   */
  private async write(position: Position, { to, events, asOf, atHead, changes }: WorkedOut): Promise<boolean> {
    const { pool, turns } = this.parts;
    const place = this.place(position.version);
    const work = async (client: PoolClient) => {
      if (!(await this.claim(client, position))) return undefined;
      const statements = changes.statements.map((statement) => run(client, statement));
      const written = Promise.all([...statements, advanceCheckpoint(client, place, { cursor: to, events, asOf })]);
      written.catch(() => undefined); // TRICKY: it is awaited below; the commit of what failed is a rollback
      if (!atHead && (changes.hits ?? 0) <= MOST_HITS_KEPT)
        this.workAhead({ version: position.version, cursor: to }, changes);
      return { written };
    };
    const sent = await turns.take(() => transaction(pool, work, BEGIN));
    await sent?.written;
    return sent !== undefined;
  }

  /** Whether nobody else holds the checkpoint and it is where this runner believes it to be. */
  private async claim(on: PoolClient, { version, cursor }: Position): Promise<boolean> {
    const checkpoint = await claimCheckpoint(on, this.place(version));
    return checkpoint?.cursor === cursor && (typeof this.parts.version === 'number' || version === checkpoint.live);
  }

  /**
   * Works out the next batch while this one is being written. What it finds in the tables is as old as the batch before
   * this one; that holds because both batches are only written if the checkpoint is where they began.
   */
  private workAhead({ version, cursor }: Position, unwritten: Changes): void {
    const { pool, group } = this.parts;
    const work = async () => {
      const prepared = await this.prepare(cursor);
      return { ...prepared, changes: await prepared.compute(pool, schemaOf(group.name, version), unwritten) };
    };
    this.ahead = work();
    this.ahead.catch(() => undefined); // TRICKY: it is awaited by the next step, perhaps long after it failed
  }

  private async prepare(from: Cursor): Promise<Prepared> {
    const { group } = this.parts;
    const batch = await this.read(from);
    const compute = await group.prepare(batch.events);
    const asOf = newest(batch.events.map((event) => group.loggedAt(event)));
    return { to: batch.next, atHead: batch.atHead, events: batch.events.length, asOf, compute };
  }

  /** A batch as it would be if the log ended where this runner is to stand still. */
  private async read(from: Cursor): Promise<LogBatch<Event>> {
    const { log, group, partition, upTo } = this.parts;
    const end = upTo?.();
    if (end !== undefined && log.compare(from, end) >= 0) return { events: [], next: from, atHead: true };
    const batch = await log.read(partition, from, { max: this.max, types: group.types });
    if (end === undefined || log.compare(batch.next, end) < 0) return batch;
    const events = batch.events.filter((event) => log.compare(group.cursorOf(event), end) <= 0);
    return { events, next: end, atHead: true };
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
    if (checkpoint.stopped !== null) await markStopped(pool, this.place(version), null);
    return { version, cursor: checkpoint.cursor };
  }

  private findVersion(): Promise<number> {
    const { version } = this.parts;
    return typeof version === 'number' ? Promise.resolve(version) : version();
  }

  private place(version: number): Place {
    return { group: this.parts.group.name, version, partition: this.parts.partition };
  }
}

const newest = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
