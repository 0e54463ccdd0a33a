import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import type { JsonObject } from '@ledgerline/contracts/json';
import type { Named } from '@ledgerline/domain/decider';
import type { EventMetadata, NewEvent } from '@ledgerline/platform/event-store/event-store';
import { currentRequestId } from '@ledgerline/platform/http/request-id';
import { v5 } from 'uuid';
import type { StartedCommand } from './idempotency-store';

const SCHEMA_VERSION = '1';

/** Event ids are derived from the command's id, so that a repeated append writes nothing twice. */
export const newEvent = (event: DecidedEvent, { type }: Named, started: StartedCommand, n: number): NewEvent => ({
  id: v5(`${type}:${n}`, started.commandId),
  type: event.type,
  data: event.data as unknown as JsonObject, // an interface has no index signature, though every event is plain JSON
  metadata: metadataOf(started, type, event.data.organizationId),
});

/** The actor and the command: strings, because every store supports those. */
function metadataOf(
  { caller, commandId, correlationId }: StartedCommand,
  commandType: string,
  organization: string,
): EventMetadata {
  const requestId = currentRequestId();
  return {
    actor: caller.kind === 'anonymous' ? 'system' : caller.id,
    actorType: caller.kind === 'anonymous' ? 'system' : caller.kind === 'key' ? 'api_key' : 'user',
    ...(caller.kind === 'key' ? { actorName: caller.name } : {}),
    organization,
    correlation: correlationId ?? requestId ?? commandId,
    causation: commandId,
    command: commandId,
    commandType,
    ...(requestId === undefined ? {} : { requestId }),
    app: 'api',
    schemaVersion: SCHEMA_VERSION,
  };
}
