import { randomUUID } from 'node:crypto';
import type { AuditLogEvent } from '@ledgerline/contracts/events/audit-log.events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { type EventStore, versionMetadata } from '@ledgerline/platform/event-store/event-store';

/** Appends an event to a new stream of an organization, as done by the system; answers the id of the command. */
export async function recordBySystem(
  store: Pick<EventStore, 'append'>,
  stream: string,
  commandType: string,
  { type, data }: { readonly type: AuditLogEvent['type']; readonly data: JsonObject & { organizationId: string } },
): Promise<string> {
  const commandId = randomUUID();
  const metadata = {
    actor: 'system',
    actorType: 'system',
    organization: data.organizationId,
    correlation: commandId,
    causation: commandId,
    command: commandId,
    commandType,
    occurredAt: new Date().toISOString(),
    app: 'audit',
    schemaVersion: '2',
    ...versionMetadata(type),
  };
  const result = await store.append(stream, 'no-stream', [{ id: randomUUID(), type, data, metadata }]);
  if (!result.ok) throw new Error('A stream with a new id exists already.');
  return commandId;
}
