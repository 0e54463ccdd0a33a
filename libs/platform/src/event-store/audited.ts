import { auditedEvent } from '@ledgerline/domain/audit/audited-events';
import { type EventMetadata, type RecordedEvent, asDecided } from './event-store';

export const ACTOR_TYPES = ['user', 'api_key', 'system'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

/** An event that something else has appended to the store names no actor. */
export function auditedActor({ actor = 'unknown', actorType = '' }: EventMetadata): { type: ActorType; id: string } {
  return { type: ACTOR_TYPES.find((type) => type === actorType) ?? 'system', id: actor };
}

/** What the audit log shows of an event; nothing of the data of one that this program does not know. */
export const audited = (event: RecordedEvent) => auditedEvent(asDecided(event) ?? { ...event, data: {} });
