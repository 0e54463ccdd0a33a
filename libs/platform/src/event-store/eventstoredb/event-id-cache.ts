import { LRUCache } from 'lru-cache';
import type { RecordedEvent, StreamName } from '../event-store';

interface CachedStream {
  /** Everything up to this revision is cached; -1 = nothing. */
  revision: number;
  readonly ids: Set<string>;
}

const MAX_STREAMS = 20_000;

/**
 * The event ids of streams that were read or written recently, from their first event on: EventStoreDB does not reject
 * an id again at the tail of a stream, so the adapter does.
 */
export class EventIdCache {
  private readonly streams = new LRUCache<StreamName, CachedStream>({ max: MAX_STREAMS });

  /** Adds events that continue what is cached; others are ignored. */
  add(stream: StreamName, events: readonly Pick<RecordedEvent, 'id' | 'revision'>[]): void {
    const cached = this.streams.get(stream) ?? { revision: -1, ids: new Set<string>() };
    for (const { id, revision } of events) {
      if (revision !== cached.revision + 1) continue;
      cached.ids.add(id);
      cached.revision = revision;
    }
    this.streams.set(stream, cached);
  }

  /** The ids up to a revision; `read` brings those that are missing, from a revision on, so many. */
  async upTo(
    stream: StreamName,
    revision: number,
    read: (from: number, count: number) => Promise<readonly RecordedEvent[]>,
  ): Promise<ReadonlySet<string>> {
    const cached = this.streams.get(stream)?.revision ?? -1;
    if (cached < revision) this.add(stream, await read(cached + 1, revision - cached));
    return this.streams.get(stream)?.ids ?? new Set();
  }
}
