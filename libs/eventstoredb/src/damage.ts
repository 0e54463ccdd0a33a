import type { RecordedEvent as StoredEvent } from '@eventstore/db-client';
import { INTERNAL_ORGANIZATION, streamOrganization } from '@ledgerline/platform/event-store/event-store';

/** The types of the events with which the server deletes a stream for good, and changes what of it is shown. */
const DAMAGING = ['$streamDeleted', '$metadata'];
const SEALS = `${INTERNAL_ORGANIZATION}-seals_`;
const CATEGORY = '$ce-';

/** The organizations of whose streams, seals or category events were deleted or hidden, or may have been. */
export const damagedIn = (events: readonly StoredEvent[]): ReadonlySet<string> =>
  new Set(events.filter(({ type }) => DAMAGING.includes(type)).flatMap(({ streamId }) => ownerOf(streamId) ?? []));

/** Returns the owner of a stream, or of the one whose metadata it holds. */
function ownerOf(streamId: string): string | undefined {
  const stream = streamId.startsWith('$$') ? streamId.slice(2) : streamId;
  if (stream.startsWith(SEALS)) return stream.slice(SEALS.length).split('.', 1)[0];
  if (stream.startsWith(CATEGORY)) return stream.slice(CATEGORY.length);
  const organization = stream.startsWith('$') ? '' : streamOrganization(stream);
  return organization === '' || organization === INTERNAL_ORGANIZATION ? undefined : organization;
}
