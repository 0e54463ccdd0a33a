import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { IntakeItem, IntakeLog, LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor } from '@ledgerline/platform/log/log-reader';
import { waitUntil } from '../wait-until';

interface Choices {
  readonly type?: string;
  readonly subject?: string;
  readonly dedupe?: IntakeItem['dedupe'];
  readonly data?: object;
}

/** A small hit; the same name gives the same event id. */
export function hit(
  name: string,
  { type = 'PageLeft', subject = 'site_A', dedupe = '48h', data }: Choices = {},
): IntakeItem {
  const id = derivedEventId('site_A', 'test', name);
  const event = { type, id, at: 1_700_000_000_000, receivedAt: 1_700_000_000_500, data: data ?? { path: `/${name}` } };
  return { event: event as unknown as ObservedEvent, subject, dedupe }; // laws do not depend on what an event says
}

export const idsOf = (hits: readonly LoggedHit[]): string[] => hits.map(({ event }) => event.id);

/** Everything after a cursor up to the head. */
export async function readAll(
  log: IntakeLog,
  { partition = 0, types }: { partition?: number; types?: readonly string[] } = {},
): Promise<LoggedHit[]> {
  const events: LoggedHit[] = [];
  for (let cursor = BEGINNING, atHead = false; !atHead;) {
    const batch = await log.read(partition, cursor, types ? { max: 50, types } : { max: 50 });
    events.push(...batch.events);
    ({ next: cursor, atHead } = batch);
  }
  return events;
}

/** Follows a partition in the background; `until` stops at a cursor and gives what was seen. */
export function tail(log: IntakeLog, partition: number, from: Cursor) {
  const seen: LoggedHit[] = [];
  let cursor = from;
  const stopping = new AbortController();
  const following = (async () => {
    while (!stopping.signal.aborted) {
      await log.waitForMore(partition, cursor, { timeoutMs: 20 });
      const batch = await log.read(partition, cursor, { max: 7 });
      seen.push(...batch.events);
      cursor = batch.next;
    }
  })();
  return {
    async until(goal: Cursor): Promise<readonly LoggedHit[]> {
      const reached = waitUntil(() => log.compare(cursor, goal) >= 0);
      await Promise.race([reached, following]).finally(() => stopping.abort());
      await following;
      return seen;
    },
  };
}
