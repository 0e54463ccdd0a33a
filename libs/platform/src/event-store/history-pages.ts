import type { Cursor } from '../log/log-reader';
import type { EventStore, HistoryEntry } from './event-store';

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
