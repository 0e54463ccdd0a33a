import { Injectable } from '@nestjs/common';
import type { AuditChanges } from '@ledgerline/domain/audit/audited-events';
import { omit } from '@ledgerline/domain/changes';
import { proofOf } from '@ledgerline/platform/event-store/entry-proof';
import type { EventMetadata, HistoryEntry } from '@ledgerline/platform/event-store/event-store';
import {
  PersonalDataCipher,
  type PersonalDataBySubject,
} from '@ledgerline/platform/personal-data/personal-data-cipher';
import type { PersonalData } from '@ledgerline/platform/personal-data/sealed-part';
import type { Plain } from '../http/record.dto';
import { audited, occurredAt } from './audit-filter';
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
