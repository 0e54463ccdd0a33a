import type { AuditFilter } from '@ledgerline/contracts/events/audit-log.events';
import { auditedEvent } from '@ledgerline/domain/audit/audited-events';
import { asDecided } from '@ledgerline/platform/event-store/decided';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { invalid } from '../http/problems';

/** What the audit log shows of an event; nothing of the data of one that this program does not know. */
export const audited = (event: RecordedEvent) => auditedEvent(asDecided(event) ?? { ...event, data: {} });

/** Whether an event is one that a filter asks for. */
export function matches(event: RecordedEvent, filter: AuditFilter): boolean {
  const { action, target } = audited(event);
  const time = occurredAt(event);
  return (
    isOr(filter.action, action) &&
    isOr(filter.actorId, event.metadata.actor) &&
    isOr(filter.targetType, target.type) &&
    isOr(filter.targetId, target.id) &&
    (filter.from === undefined || time >= filter.from) &&
    (filter.to === undefined || time < filter.to)
  );
}

/**
 * Whether events older than these can be left unread: a whole page lies before `from`. One event is not enough, as
 * clocks differ a little, and the time of an old event is not part of its hash.
 */
export const isBefore = (page: readonly RecordedEvent[], { from }: AuditFilter): boolean =>
  from !== undefined && page.every((event) => occurredAt(event) < from);

/** ISO 8601 UTC: when the command was handled; events of early versions have the time of their recording only. */
export function occurredAt({ metadata, recordedAt }: Pick<RecordedEvent, 'metadata' | 'recordedAt'>): string {
  const time = Date.parse(metadata.occurredAt ?? '');
  return (Number.isNaN(time) ? recordedAt : new Date(time)).toISOString();
}

/** Only the conditions of a request. @throws Problem VALIDATION_ERROR for times that no event can lie between */
export function filterOf({ action, actorId, targetType, targetId, from, to }: AuditFilter): AuditFilter {
  if (from !== undefined && to !== undefined && to < from)
    throw invalid([{ field: 'to', message: 'Must not lie before from.' }]);
  const conditions = Object.entries({ action, actorId, targetType, targetId, from, to });
  return Object.fromEntries(conditions.filter(([, value]) => value !== undefined));
}

const isOr = (wanted: string | undefined, value: string | null | undefined): boolean =>
  wanted === undefined || wanted === value;
