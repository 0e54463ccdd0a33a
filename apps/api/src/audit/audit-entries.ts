import { Injectable } from '@nestjs/common';
import { auditedEvent, type AuditChanges } from '@ledgerline/domain/audit/audited-events';
import { omit } from '@ledgerline/domain/changes';
import { proofOf } from '@ledgerline/platform/event-store/chain-hash';
import type { EventMetadata, HistoryEntry, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import {
  type PersonalData,
  type PersonalDataBySubject,
  PersonalDataCipher,
} from '@ledgerline/platform/personal-data/personal-data-cipher';
import type { AuditFilter } from '@ledgerline/contracts/events/audit-log.events';
import { asDecided } from '@ledgerline/platform/event-store/decided';
import type { Plain } from '../http/record.dto';
import { invalid } from '../http/problems';
import { ACTOR_TYPES, type ActorType, type AuditEntryDto } from './audit-log.dto';

/** Events as the entries that people read. */
@Injectable()
export class AuditEntries {
  constructor(private readonly cipher: PersonalDataCipher) {}

  async of(events: readonly HistoryEntry[]): Promise<Plain<AuditEntryDto>[]> {
    const opened = await this.cipher.open(events);
    return events.map((event) => auditEntry(event, opened.get(event.id) ?? new Map()));
  }
}

function auditEntry(event: HistoryEntry, people: PersonalDataBySubject): Plain<AuditEntryDto> {
  const { id, metadata, chain, type, stream } = event;
  const { action, target, changes } = audited(event);
  const subject = people.get(target.id ?? '');
  const actor = actorOf(metadata);
  const personal = people.get(actor.id);
  return {
    id,
    position: chain?.revision ?? null,
    action,
    occurredAt: occurredAt(event),
    recordedAt: event.recordedAt.toISOString(),
    actor: { ...actor, name: metadata.actorName ?? personal?.name ?? null },
    target: { ...target, name: target.name ?? subject?.name ?? subject?.email ?? null },
    changes: target.type === 'invitation' && subject ? { email: invited(subject), ...changes } : changes,
    metadata: { eventType: type, stream, ...omit(metadata, ...SHOWN_ELSEWHERE) },
    requestId: metadata.requestId ?? null,
    ip: personal?.ip ?? null,
    userAgent: personal?.userAgent ?? null,
    correlationId: metadata.correlation ?? null,
    hash: chain?.hash ?? null,
    proof: proofOf(event),
  };
}

/** The address is in the sealed part; that it was erased differs from its absence in early events. */
const invited = ({ email, erased }: PersonalData): AuditChanges[string] => ({
  before: null,
  after: erased ? 'erased' : (email ?? null),
});

const SHOWN_ELSEWHERE = [
  'actor',
  'actorType',
  'actorName',
  'organization',
  'occurredAt',
  'requestId',
  'correlation',
] as const satisfies readonly (keyof EventMetadata)[];

/** An event that something else has appended to the store names no actor. */
function actorOf({ actor = 'unknown', actorType = '' }: EventMetadata): { type: ActorType; id: string } {
  return { type: ACTOR_TYPES.find((type) => type === actorType) ?? 'system', id: actor };
}

/** What the audit log shows of an event; nothing of the data of one that this program does not know. */
const audited = (event: RecordedEvent) => auditedEvent(asDecided(event) ?? { ...event, data: {} });

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
