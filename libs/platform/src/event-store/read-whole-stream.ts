import type { EventStore, RecordedEvent, StreamName } from './event-store';

const PAGE = 1_000;

/** All events of a stream, page by page; empty for one that does not exist. */
export async function readWholeStream(
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readStream(stream, { from: events.length, limit: PAGE });
    events.push(...page);
    if (page.length < PAGE) return events;
  }
}
