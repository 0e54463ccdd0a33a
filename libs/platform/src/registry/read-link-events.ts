import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { LinkEvent } from '@ledgerline/contracts/events/link.events';
import { decidedIn } from '../event-store/decided';
import type { EventStore } from '../event-store/event-store';
import { readWholeStream } from '../event-store/read-whole-stream';
import { linkStream } from '../event-store/streams';

const LINK_EVENTS: ReadonlySet<string> = new Set<LinkEvent['type']>(['LinkCreated', 'LinkUpdated', 'LinkDeleted']);

/**
 * What a link is read from: the first event of its stream and the last, as each holds all of its settings. Most links
 * have one event. Where something else has written one of them, it is the whole stream.
 */
export async function readLinkEvents(
  store: Pick<EventStore, 'readStream'>,
  organizationId: string,
  linkId: string,
): Promise<readonly Recorded[]> {
  const stream = linkStream(organizationId, linkId);
  const last = await store.readStream(stream, { direction: 'backward', limit: 1 });
  const first = last.some(({ revision }) => revision > 0) ? await store.readStream(stream, { limit: 1 }) : [];
  const ends = [...first, ...last];
  const areOfLink = ends.every(({ type }) => LINK_EVENTS.has(type));
  return decidedIn(areOfLink ? ends : await readWholeStream(store, stream));
}
