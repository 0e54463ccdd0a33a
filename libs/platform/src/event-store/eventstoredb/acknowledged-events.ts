import type { Position, RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { Batcher } from '../../log/batcher';
import type { Connection } from './connection';
import { toCursor } from './position';

const MAX_GROUP = 256;
/** Size of a read: the group's events and a few more, with the links that the system projections add to each. */
const LOOK_AT = { perEvent: 8, besides: 64 };

/**
 * Reads events at positions that the server has just acknowledged, those of concurrent appends in one read, as they
 * lie close together.
 */
export class AcknowledgedEvents {
  private readonly reads: Batcher<Position, StoredEvent | undefined>;

  constructor(private readonly connection: Connection) {
    this.reads = new Batcher((positions) => this.readAround(positions), { maxBatch: MAX_GROUP });
  }

  /** Undefined when the event is not near the others; then it has to be read from its stream. */
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
