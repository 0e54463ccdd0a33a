import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Caller } from '@ledgerline/domain/access/caller';
import { type EventStore, decidedIn } from '@ledgerline/platform/event-store/event-store';
import type { PlainData } from '../../http/record.dto';
import { assertMay } from '../../http/route';
import { EVENT_STORE } from '../../tokens';
import { auditPage, cursorText, orInvalidCursor, readAuditCursor } from '../read-audit-log.query';
import type { ErasurePageDto, ListErasuresDto } from './erasure.dto';
import { Erasures } from './erasures';

/** The erasures of an organization, newest first. */
export class ListErasures extends Query<PlainData<ErasurePageDto>> {
  constructor(
    readonly wanted: PlainData<ListErasuresDto>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ListErasures)
export class ListErasuresHandler implements IQueryHandler<ListErasures> {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly erasures: Erasures,
  ) {}

  async execute({ wanted, caller }: ListErasures): Promise<PlainData<ErasurePageDto>> {
    const { organizationId, cursor, limit } = wanted;
    assertMay(caller, 'erasures:request', { organizationId });
    const request = {
      organizationId,
      filter: { action: 'subject.erased' },
      before: readAuditCursor(organizationId, cursor),
      limit,
    };
    const { events, next } = await auditPage(this.store, request).catch(orInvalidCursor);
    const ids = decidedIn(events).flatMap(({ type, data }) => (type === 'SubjectErased' ? [data.erasureId] : []));
    const data = await this.erasures.receipts(organizationId, ids);
    const nextCursor = next === null ? null : cursorText(organizationId, next);
    return { success: true, data, hasMore: next !== null, nextCursor };
  }
}
