import { pipelinedTransaction, run } from '@ledgerline/platform/database/pool';
import type { Pool, PoolClient } from 'pg';
import type { Changes, ProjectionGroup } from '../projections/projection-group';
import type { PartitionBatch, Position, ReadBatch } from './batch-reader';
import { insertParked } from './parked-events';
import type { Semaphore } from '@ledgerline/platform/database/semaphore';
import { advanceCheckpoints, claimCheckpoints } from './checkpoint';

interface Parts<Event> {
  readonly group: ProjectionGroup<Event>;
  /** With `pipeline`, and an idle limit for transactions: a process that hangs loses its lock after that time. */
  readonly pool: Pool;
  readonly semaphore: Semaphore;
}

/** Of one or several partitions, in tables of the same version and layout. */
type OneOrMore<Batch> = readonly [Batch, ...Batch[]];

/** A commit does not wait for the disk: a crash loses rows and checkpoints together. */
const BEGIN = 'begin; set local synchronous_commit = off';

/** Writes batches of a group together with their checkpoints. */
export class BatchWriter<Event> {
  constructor(private readonly parts: Parts<Event>) {}

  /** What batches change; of one, also after the batch before if that is unwritten. */
  async compute(batches: OneOrMore<ReadBatch<Event>>, unwritten?: Changes): Promise<Changes> {
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
    statements: Changes['statements'],
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
        const rows = [...statements, ...waiting].map((statement) => run(client, statement));
        await Promise.all([...rows, advanceCheckpoints(client, key, batches.map(progressOf))]);
        return true;
      };
    };
    return semaphore.run(() => pipelinedTransaction(pool, work, BEGIN, () => isOwn && onSent()));
  }

  /** Whether no other process holds the checkpoints, and they and what is parked are as these runners know them. */
  private async claim(on: PoolClient, positions: readonly Position[]): Promise<boolean> {
    const [{ version } = { version: 0 }] = positions;
    const partitions = positions.map(({ partition }) => partition);
    const { layout, checkpoints } = await claimCheckpoints(on, { group: this.parts.group.name, version }, partitions);
    const claimed = new Map(checkpoints.map((checkpoint) => [checkpoint.partition, checkpoint]));
    return positions.every((position) => {
      const checkpoint = claimed.get(position.partition);
      return (
        checkpoint?.cursor === position.cursor &&
        checkpoint.parkedRevision === position.parkedRevision &&
        layout === position.layout
      );
    });
  }
}

const progressOf = ({ batch, events, asOf }: PartitionBatch) => {
  const { from, to: cursor, digest } = batch;
  return { partition: from.partition, cursor, digest, events, asOf };
};
