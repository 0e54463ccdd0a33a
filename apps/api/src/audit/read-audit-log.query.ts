import { Inject } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { assertMay } from '../auth/assert-may';
import type { Plain } from '../http/record.dto';
import { EVENT_STORE } from '../tokens';
import { cursorText, orInvalidCursor, placeOf } from './audit-cursor';
import { AuditEntries } from './audit-entries';
import { filterOf } from './audit-filter';
import type { AuditPageDto, ListAuditLogDto } from './audit-log.dto';
import { auditPage } from './audit-page';

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
