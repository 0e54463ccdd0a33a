import type { Position, RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { Batcher } from '../../log/batcher';
import type { Connection } from './connection';
import { toCursor } from './position';

const MAX_GROUP = 256;
/** What one read looks at: a few events more than the group's own, with the links the projections add to each. */
const LOOK_AT = { perEvent: 8, besides: 64 };

/**
 * The events at positions the server has just acknowledged. Whoever asks while a read is under way shares the next
 * one: appends that land together lie together.
 */
export class AcknowledgedEvents {
  private readonly reads: Batcher<Position, StoredEvent | undefined>;

  constructor(private readonly connection: Connection) {
    this.reads = new Batcher((positions) => this.readAround(positions), { maxBatch: MAX_GROUP });
  }

  /** Undefined when it was not among those that landed lately; then it has to be looked for in its stream. */
  at(position: Position): Promise<StoredEvent | undefined> {
    return this.reads.submit(position);
  }

  private async readAround(positions: readonly Position[]): Promise<(StoredEvent | undefined)[]> {
    const from = positions.reduce((first, one) => (one.commit < first.commit ? one : first));
    const maxCount = LOOK_AT.besides + LOOK_AT.perEvent * positions.length;
    const page = await this.connection.readAll({ direction: 'forwards', maxCount, from });
    const byPlace = new Map(page.map(({ event }) => [event?.position && toCursor(event.position), event]));
    return positions.map((position) => byPlace.get(toCursor(position)));
  }
}
