import type { AuditFilter } from '@ledgerline/contracts/events/audit-log.events';
import type { EventStore, HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { isBefore, matches } from './audit-filter';
import { historyPages } from '@ledgerline/platform/event-store/history-pages';

interface AuditPageRequest {
  readonly organizationId: string;
  readonly filter: AuditFilter;
  /** Only events before this one; undefined = from the newest. */
  readonly before: Cursor | undefined;
  readonly limit: number;
}

export interface AuditPage {
  readonly events: readonly HistoryEntry[];
  /** Where the next page goes on; null when nothing older matches. */
  readonly next: Cursor | null;
}

const PAGE = 500;
/** How many events one request looks at, however few match; then the page is short, or empty, and another follows. */
export const MAX_LOOKED_AT = 10_000;

/** One page of what matches, newest first. */
export async function auditPage(store: Pick<EventStore, 'readBack'>, request: AuditPageRequest): Promise<AuditPage> {
  const { organizationId, filter, before, limit } = request;
  const size = Object.keys(filter).length === 0 ? limit + 1 : PAGE;
  const events: HistoryEntry[] = [];
  let lookedAt = 0;
  for await (const page of historyPages(store, organizationId, size, before)) {
    for (const event of page) {
      if (!matches(event, filter)) continue;
      if (events.length === limit) return { events, next: events.at(-1)?.cursor ?? null };
      events.push(event);
    }
    if (isBefore(page, filter)) break;
    lookedAt += page.length;
    if (lookedAt >= MAX_LOOKED_AT) return { events, next: page.at(-1)?.cursor ?? null };
  }
  return { events, next: null };
}
