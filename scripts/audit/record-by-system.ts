import { randomUUID } from 'node:crypto';
import { type EventStore, type NewEvent, versionMetadata } from '@ledgerline/platform/event-store/event-store';

/** Appends an event to a new stream of an organization, as done by the system; answers the id of the command. */
export async function recordBySystem(
  store: Pick<EventStore, 'append'>,
  stream: string,
  commandType: string,
  event: { readonly type: string; readonly data: { readonly organizationId: string } },
): Promise<string> {
  const recorded = systemEvent(commandType, event.data.organizationId, event);
  const result = await store.append(stream, 'no-stream', [recorded]);
  if (!result.ok) throw new Error('A stream with a new id exists already.');
  return recorded.metadata.command;
}

/** As done by the system, by a command of its own. */
export function systemEvent(
  commandType: string,
  organization: string,
  { type, data }: { readonly type: string; readonly data: object },
) {
  const command = randomUUID();
  const metadata = {
    actor: 'system',
    actorType: 'system',
    organization,
    correlation: command,
    causation: command,
    command,
    commandType,
    occurredAt: new Date().toISOString(),
    app: 'audit',
    schemaVersion: '2',
    ...versionMetadata(type),
  };
  return { id: randomUUID(), type, data, metadata } satisfies NewEvent;
}
