import type { EventMetadata } from '@ledgerline/platform/event-store/event-store';
import { currentRequestId } from '@ledgerline/platform/http/request-id';
import type { Attempt } from './attempt';

const SCHEMA_VERSION = '1';

/** Who decided, when asked for what: kept beside every event, as strings, because every store can keep those. */
export function metadataOf({ caller, commandId }: Attempt, commandType: string, organization: string): EventMetadata {
  const requestId = currentRequestId();
  return {
    actor: caller.kind === 'anonymous' ? 'system' : caller.id,
    actorType: caller.kind === 'anonymous' ? 'system' : caller.kind === 'key' ? 'api_key' : 'user',
    ...(caller.kind === 'key' ? { actorName: caller.name } : {}),
    organization,
    correlation: requestId ?? commandId,
    causation: commandId,
    command: commandId,
    commandType,
    ...(requestId === undefined ? {} : { requestId }),
    app: 'api',
    schemaVersion: SCHEMA_VERSION,
  };
}
