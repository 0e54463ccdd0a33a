import { BEGINNING, type LogPosition, type LogReader } from '@ledgerline/platform/log/log-reader';
import { decidedIn } from '@ledgerline/platform/event-store/decided';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';

const TYPES = ['WebsiteRegistered'] as const;

/** The time zones of all websites by id, also of deleted ones: events have them, sessions do not. */
export async function readZones(eventStore: LogReader<RecordedEvent>): Promise<ReadonlyMap<string, string>> {
  const zones = new Map<string, string>();
  for (let { cursor, digest }: LogPosition = { cursor: BEGINNING }; ;) {
    const { events, next, atHead, ...read } = await eventStore.read(0, cursor, { max: 1_000, types: TYPES, digest });
    for (const { type, data } of decidedIn(events))
      if (type === 'WebsiteRegistered') zones.set(data.websiteId, data.timezone);
    if (atHead) return zones;
    [cursor, digest] = [next, read.digest];
  }
}
