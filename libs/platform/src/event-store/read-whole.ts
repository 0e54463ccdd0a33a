import type { Cursor } from '../log/log-reader';
import type { EventStore, HistoryEntry, RecordedEvent, StreamName } from './event-store';

/** An organization's history page by page, newest first; reads the next page when it is asked for. */
export async function* historyPages(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  limit: number,
  start?: Cursor,
): AsyncGenerator<readonly HistoryEntry[], void> {
  for (let before = start; ;) {
    const page = await store.readBack({ organization, limit, ...(before === undefined ? {} : { before }) });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    before = page.at(-1)?.cursor;
  }
}

/** The same entry by entry; `onPage` is called with the number of entries after each page. */
export async function* historyEntries(
  store: Pick<EventStore, 'readBack'>,
  organization: string,
  pageSize: number,
  onPage?: (entries: number) => void,
): AsyncGenerator<HistoryEntry, void> {
  for await (const page of historyPages(store, organization, pageSize)) {
    yield* page;
    onPage?.(page.length);
  }
}

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
