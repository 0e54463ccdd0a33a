import type { OrganizationEvent } from '@ledgerline/contracts/events/organization.events';
import type { EventStore, HistoryEntry, RecordedEvent, StreamName } from './event-store';
import type { Cursor } from '../log/log-reader';
import type { Deadline } from '../log/timing';

/** The type of the event with which an organization begins, in its stream. */
export const ORGANIZATION_CREATED = 'OrganizationCreated' satisfies OrganizationEvent['type'];

/** Slugs of status pages are unique over all organizations. */
export const statusSlugStream = (slug: string): StreamName => `global-statusslug-${slug}`;

export const erasureStream = (organizationId: string, id: string): StreamName => `${organizationId}-erasure-${id}`;

/** One export of the audit log. */
export const exportStream = (organizationId: string, id: string): StreamName => `${organizationId}-export-${id}`;

/** One resealing of the audit log. */
export const resealStream = (organizationId: string, id: string): StreamName => `${organizationId}-reseal-${id}`;

/** One acceptance of tables that differ from a rebuild. */
export const acceptanceStream = (organizationId: string, id: string): StreamName => `${organizationId}-rebuild-${id}`;

/** Slugs are unique over all organizations. */
export const slugStream = (slug: string): StreamName => `global-slug-${slug}`;

/** Signed heads of the intake log; belongs to no organization, and is copied with all other streams. */
export const SIGNED_HEADS_STREAM: StreamName = 'global-intake-heads';

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
  deadline?: Deadline,
): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readStream(stream, { from: events.length, limit: PAGE, deadline });
    events.push(...page);
    if (page.length < PAGE) return events;
  }
}
