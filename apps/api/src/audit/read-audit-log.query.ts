import { Inject } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { EventStore, HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { AuditFilter } from '@ledgerline/contracts/events/audit-log.events';
import { EpochChanged, type Cursor } from '@ledgerline/platform/log/log-reader';
import { historyPages } from '@ledgerline/platform/event-store/read-whole';
import { assertMay } from '../auth/assert-may';
import type { Plain } from '../http/record.dto';
import { EVENT_STORE } from '../tokens';
import { invalid } from '../http/problems';
import { AuditEntries, filterOf, isBefore, matches } from './audit-entries';
import type { AuditPageDto, ListAuditLogDto } from './audit-log.dto';

export class ReadAuditLog extends Query<Plain<AuditPageDto>> {
  constructor(
    readonly wanted: Plain<ListAuditLogDto>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ReadAuditLog)
export class ReadAuditLogHandler implements IQueryHandler<ReadAuditLog> {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly entries: AuditEntries,
  ) {}

  async execute({ wanted, caller }: ReadAuditLog): Promise<Plain<AuditPageDto>> {
    const { organizationId, cursor, limit } = wanted;
    assertMay(caller, 'audit:read', { organizationId });
    const before = placeOf(organizationId, cursor);
    const request = { organizationId, filter: filterOf(wanted), before, limit };
    const { events, next } = await auditPage(this.store, request).catch(orInvalidCursor);
    const nextCursor = next === null ? null : cursorText(organizationId, next);
    return { success: true, data: await this.entries.of(events), hasMore: next !== null, nextCursor };
  }
}

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

const SHAPE = /^(?<organization>\w{1,64}) (?<place>[!-~]{1,200})$/;

/** A place in an organization's history, as one opaque word. */
export const cursorText = (organizationId: string, place: Cursor): string =>
  Buffer.from(`${organizationId} ${place}`, 'utf8').toString('base64url');

/** @throws Problem VALIDATION_ERROR for what is no cursor of this organization's audit log */
function placeOf(organizationId: string, cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined;
  const { organization, place } = SHAPE.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.groups ?? {};
  if (organization === organizationId && place !== undefined && cursorText(organization, place) === cursor)
    return place;
  throw invalidCursor();
}

/** Of a read that began at the place of a cursor, which only the event store can judge. @throws Problem VALIDATION_ERROR */
function orInvalidCursor(error: unknown): never {
  throw error instanceof EpochChanged ? invalidCursor() : error;
}

const invalidCursor = () =>
  invalid([{ field: 'cursor', message: 'Must be the nextCursor of a page of this audit log.' }]);
