import { randomUUID } from 'node:crypto';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { versionMetadata } from '@ledgerline/platform/event-store/event-store';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { observedEvent, type Sample } from './samples';

const GLOBAL = ['SlugReserved', 'StatusSlugReserved', 'IntakeHeadsSigned'];

/** Appends samples to the logs, as the product does. */
export async function addDecided(
  databaseUrl: string,
  samples: readonly Sample[],
  metadataOf = ({ type }: Sample): Readonly<Record<string, string>> => ({
    actor: 'usr_golden',
    actorType: 'user',
    occurredAt: '2026-11-20T10:00:00.000Z',
    app: 'api',
    schemaVersion: '2',
    ...versionMetadata(type),
  }),
): Promise<void> {
  const store = await openEventStore({ databaseUrl });
  for (const sample of samples) {
    const { type, data } = sample;
    const organization = GLOBAL.includes(type) ? 'global' : data.organizationId;
    const event = { id: randomUUID(), type, data, metadata: metadataOf(sample) };
    const stream = `${organization}-golden-events`;
    const [last] = await store.readStream(stream, { direction: 'backward', limit: 1 });
    const result = await store.append(stream, last?.revision ?? 'no-stream', [event]);
    if (!result.ok) throw new Error(`${type} was not stored.`);
  }
  await store.close();
}

export async function addObserved(databaseUrl: string, samples: readonly Sample[]): Promise<void> {
  if (samples.length === 0) return;
  const log = await openIntakeLog({ databaseUrl, partitions: 1 });
  await log.send(samples.map((sample, n) => ({ event: observedEvent(sample, n), subject: 'golden', dedupe: 'never' })));
  await log.close();
}
