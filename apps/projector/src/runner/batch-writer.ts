import type { Pool, PoolClient } from 'pg';
import { pipelinedTransaction, type Queryable, run, runPrepared } from '@ledgerline/platform/database/pool';
import type { Semaphore } from '@ledgerline/platform/database/semaphore';
import { sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { TableChanges, ProjectionGroup } from '../projections/projection-group';
import type { PartitionBatch, RunnerPosition, ReadBatch } from './batch-reader';
import type { CheckpointKey } from './checkpoint';
import { insertFindings } from './erasure-rules';
import { insertParked } from './parked-events';

interface Parts<Event> {
  readonly group: ProjectionGroup<Event>;
  /** With `pipeline`, and an idle limit for transactions: a process that hangs loses its lock after that time. */
  readonly pool: Pool;
  readonly semaphore: Semaphore;
}

/** The batches of one or several partitions, in tables of the same version and layout. */
type OneOrMore<Batch> = readonly [Batch, ...Batch[]];

/** A commit does not wait for the disk: a crash loses rows and checkpoints together. */
const BEGIN = 'begin; set local synchronous_commit = off';

/** Writes batches of a group together with their checkpoints. */
export class BatchWriter<Event> {
  constructor(private readonly parts: Parts<Event>) {}

  /** Returns what batches change; of one, also after the batch before if that is unwritten. */
  async compute(batches: OneOrMore<ReadBatch<Event>>, unwritten?: TableChanges): Promise<TableChanges> {
    const { group, pool, semaphore } = this.parts;
    const { tables } = batches[0].batch.from;
    const compute = await group.prepare(batches.flatMap(({ projected }) => projected));
    // what is computed ahead belongs to a batch that has its turn
    return unwritten ? compute(pool, tables, unwritten) : semaphore.run(() => compute(pool, tables));
  }

  /**
   * Sends everything and the commit, so that the transaction never waits for this process, which computes meanwhile what
   * `onSent` begins. False, and nothing is written, when another process writes one of the
   * partitions, or wrote its batch.
   */
  async write(
    batches: OneOrMore<PartitionBatch>,
    statements: TableChanges['statements'],
    onSent: () => void = () => undefined,
  ): Promise<boolean> {
    const { group, pool, semaphore } = this.parts;
    const { version } = batches[0].batch.from;
    const key = { group: group.name, version };
    let isOwn = false;
    const work = async (client: PoolClient) => {
      isOwn = await this.claim(
        client,
        batches.map(({ batch }) => batch.from),
      );
      return async () => {
        if (!isOwn) return false;
        const waiting = batches
          .filter(({ parked }) => parked.length > 0)
          .map(({ batch: { from }, parked }) =>
            insertParked({ ...key, partition: from.partition }, from.epoch, parked),
          );
        const found = batches.flatMap((batch) => batch.found);
        const findings = found.length > 0 ? [insertFindings(found)] : [];
        const rows = [...statements, ...waiting, ...findings].map((statement) => run(client, statement));
        await Promise.all([...rows, advanceCheckpoints(client, key, batches.map(progressOf))]);
        return true;
      };
    };
    return semaphore.run(() => pipelinedTransaction(pool, work, BEGIN, () => isOwn && onSent()));
  }

  /**
   * Locks the checkpoints until the transaction ends, as only their holder writes this version of a partition; waits for
   * no other process. False when one has them, or they and what is parked are not as these runners know them.
   */
  private async claim(on: PoolClient, positions: readonly RunnerPosition[]): Promise<boolean> {
    const { name } = this.parts.group;
    const [{ version } = { version: 0 }] = positions;
    const claim = sql`select partition, cursor, parked_revision as "parkedRevision" from projection_checkpoints
      where projection_group = ${name} and version = ${version}
        and partition = any(${positions.map(({ partition }) => partition)}::integer[])
      order by partition for update skip locked`;
    // TRICKY: a statement of its own sees a change of the layout that was committed while a row was locked
    const layout = sql`select layout from projection_groups where name = ${name}`;
    const [claimed, [group]] = await Promise.all([
      runPrepared<Pick<RunnerPosition, 'partition' | 'cursor' | 'parkedRevision'>>(on, 'claim checkpoints', claim),
      runPrepared<{ layout: string }>(on, 'layout', layout),
    ]);
    return positions.every((position) => {
      const checkpoint = claimed.find(({ partition }) => partition === position.partition);
      return (
        checkpoint?.cursor === position.cursor &&
        checkpoint.parkedRevision === position.parkedRevision &&
        group?.layout === position.layout
      );
    });
  }
}

const progressOf = ({ batch, events, asOf }: PartitionBatch) => {
  const { from, to: cursor, digest } = batch;
  return { partition: from.partition, cursor, digest, events, asOf };
};

/** The progress that a batch adds to the checkpoint of a partition. */
interface Progress {
  readonly partition: number;
  readonly cursor: Cursor;
  readonly digest: string | undefined;
  readonly events: number;
  /** Epoch ms of the newest event; undefined without events. */
  readonly asOf: number | undefined;
}

export async function advanceCheckpoints(
  on: Queryable,
  { group, version }: Omit<CheckpointKey, 'partition'>,
  progress: readonly Progress[],
): Promise<void> {
  const newest = progress.map(({ asOf }) => (asOf === undefined ? null : new Date(asOf).toISOString()));
  await runPrepared(
    on,
    'advance checkpoints',
    sql`update projection_checkpoints c
        set cursor = batch.cursor, digest = batch.digest, events = c.events + batch.events,
          as_of = greatest(c.as_of, batch.as_of), stopped = null, updated_at = clock_timestamp()
        from unnest(${progress.map(({ partition }) => partition)}::integer[],
          ${progress.map(({ cursor }) => cursor)}::text[], ${progress.map(({ digest }) => digest ?? null)}::text[],
          ${progress.map(({ events }) => events)}::integer[], ${newest}::timestamptz[])
          as batch (partition, cursor, digest, events, as_of)
        where c.projection_group = ${group} and c.version = ${version} and c.partition = batch.partition`,
  );
}
