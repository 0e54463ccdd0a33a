import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { asDecided, type EventStore } from '../event-store/event-store';

/**
 * What a link is read from: the first event of its stream and the last, as each holds all of its settings. Most links
 * have one event.
 */
export async function readLinkEvents(
  store: Pick<EventStore, 'readStream'>,
  organizationId: string,
  linkId: string,
): Promise<readonly Recorded[]> {
  const stream = `${organizationId}-link-${linkId}` as const;
  const last = await store.readStream(stream, { direction: 'backward', limit: 1 });
  const first = last.some(({ revision }) => revision > 0) ? await store.readStream(stream, { limit: 1 }) : [];
  return [...first, ...last].map(asDecided);
}
