import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { decidedVersions } from '@ledgerline/contracts/events/event-versions';
import { countUnknown } from '../log/unknown-events';
import type { EventMetadata, RecordedEvent } from './event-store';

/** In metadata, the version of the event's data; absent = 1. `schemaVersion` is that of the chain's formula. */
const EVENT_VERSION = 'eventVersion';

/** What this program writes into the metadata of a type's events. */
export function versionMetadata(type: string): EventMetadata {
  const version = decidedVersions.current(type);
  return version === 1 ? {} : { [EVENT_VERSION]: String(version) };
}

/**
 * An event with its data in the current version; undefined, and counted, for a type or version that this program does
 * not know.
 */
export function asDecided<Event extends RecordedEvent>(event: Event): (Event & Recorded) | undefined {
  const { type, metadata, data: stored } = event;
  const version = Number(metadata[EVENT_VERSION] ?? 1);
  const data = decidedVersions.upcaster(type, version)?.(stored);
  if (data === undefined) {
    countUnknown({ log: 'event store', type, version });
    return undefined;
  }
  return (data === stored ? event : { ...event, data }) as Event & Recorded; // the product alone appends its types
}

/** Those that this program knows, see {@link asDecided}. */
export const decidedIn = <Event extends RecordedEvent>(events: readonly Event[]): (Event & Recorded)[] =>
  events.flatMap((event) => asDecided(event) ?? []);

/** Events of the wanted types (undefined = all); of the others, those of unknown types are counted. */
export function wantedIn<Event extends { readonly type: string }>(
  events: readonly Event[],
  types: readonly string[] | undefined,
): readonly Event[] {
  if (types === undefined) return events;
  return events.filter(({ type }) => {
    const isWanted = types.includes(type);
    if (!isWanted && !decidedVersions.isKnown(type)) countUnknown({ log: 'event store', type, version: 1 });
    return isWanted;
  });
}
