import { LRUCache } from 'lru-cache';
import type { RecordedEvent, StreamName } from '../event-store';

interface Known {
  /** Everything up to this revision is known; -1 = nothing. */
  revision: number;
  readonly ids: Set<string>;
}

const MAX_STREAMS = 20_000;

/**
 * The event ids of streams that were read or written lately, from their first event on.
 * EventStoreDB writes the same ids again at the tail of a stream; only whoever knows its ids can prevent that.
 */
export class EventIdCache {
  private readonly streams = new LRUCache<StreamName, Known>({ max: MAX_STREAMS });

  /** Takes up what follows on what is known already; anything else is ignored. */
  add(stream: StreamName, events: readonly Pick<RecordedEvent, 'id' | 'revision'>[]): void {
    const known = this.streams.get(stream) ?? { revision: -1, ids: new Set<string>() };
    for (const { id, revision } of events) {
      if (revision !== known.revision + 1) continue;
      known.ids.add(id);
      known.revision = revision;
    }
    this.streams.set(stream, known);
  }

  /** The ids up to a revision; `read` brings those that are missing, from a revision on, so many. */
  async upTo(
    stream: StreamName,
    revision: number,
    read: (from: number, count: number) => Promise<readonly RecordedEvent[]>,
  ): Promise<ReadonlySet<string>> {
    const known = this.streams.get(stream)?.revision ?? -1;
    if (known < revision) this.add(stream, await read(known + 1, revision - known));
    return this.streams.get(stream)?.ids ?? new Set();
  }
}
