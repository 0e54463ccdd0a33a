import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import type { JsonObject } from '@ledgerline/contracts/json';
import { actorOf } from '@ledgerline/domain/access/caller';
import type { Message } from '@ledgerline/domain/decider';
import { type EventMetadata, type NewEvent, versionMetadata } from '@ledgerline/platform/event-store/event-store';
import {
  type PersonalData,
  type PersonalDataBySubject,
  PersonalDataCipher,
} from '@ledgerline/platform/personal-data/personal-data-cipher';
import { Injectable } from '@nestjs/common';
import { v5 } from 'uuid';
import type { StartedCommand } from './command-context';

/** From 2 on, personal data is in the sealed part and the hash chain includes the hash of the content. */
const SCHEMA_VERSION = '2';

/** Makes the events of a command as they are appended: with ids, metadata and encrypted personal data. */
@Injectable()
export class EventFactory {
  constructor(private readonly cipher: PersonalDataCipher) {}

  /** `others` is personal data of those whom the command names, beside the caller. @throws LogUnavailable */
  create(
    events: readonly DecidedEvent[],
    { type }: Message,
    started: StartedCommand,
    others: PersonalDataBySubject = new Map(),
  ): Promise<NewEvent[]> {
    const personal = new Map([...others, ...actorIn(started)]);
    return Promise.all(
      events.map(async (event, n) => {
        const id = v5(`${type}:${n}`, started.commandId); // a repeated append writes nothing twice
        const organization = event.data.organizationId;
        const sealed = await this.cipher.seal({ organization, eventId: id }, personal);
        return {
          id,
          type: event.type,
          data: event.data as unknown as JsonObject, // an interface has no index signature, though every event is plain JSON
          metadata: { ...metadataOf(started, type, organization), ...versionMetadata(event.type) },
          ...(sealed === undefined ? {} : { sealed }),
        };
      }),
    );
  }
}

/** The actor and the command: strings, because every store supports those. */
function metadataOf(
  { caller, commandId, correlationId, requestId }: StartedCommand,
  commandType: string,
  organization: string,
): EventMetadata {
  const actor = actorOf(caller);
  return {
    actor: actor.id,
    actorType: actor.type,
    ...(caller.kind === 'key' ? { actorName: caller.name } : {}),
    ...(caller.kind === 'grant' ? { grant: caller.id, client: caller.client } : {}),
    organization,
    occurredAt: new Date().toISOString(),
    correlation: correlationId ?? requestId ?? commandId,
    causation: commandId,
    command: commandId,
    commandType,
    ...(requestId === undefined ? {} : { requestId }),
    app: 'api',
    schemaVersion: SCHEMA_VERSION,
  };
}

/** The caller's personal data under its id, none where there is none. */
function actorIn({ caller, client }: StartedCommand): readonly (readonly [string, PersonalData])[] {
  if (caller.kind === 'anonymous') return [];
  const { id, name, email } = actorOf(caller);
  const data = { name, email, ip: client?.ip, userAgent: client?.userAgent };
  const known = Object.entries(data).filter(([, value]) => value !== undefined);
  return known.length === 0 ? [] : [[id, Object.fromEntries(known)]];
}
