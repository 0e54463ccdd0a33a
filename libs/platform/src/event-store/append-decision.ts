import { sameContent, type CheckedAppend } from './checked-append';
import type { NewEvent, RecordedEvent, StreamName } from './event-store';

/** An event at its revision in its stream; `position` and `recordedAt` are set once it is written. */
export interface PlacedEvent<E extends NewEvent = NewEvent> {
  readonly event: E;
  readonly stream: StreamName;
  readonly revision: number;
  position?: number;
  recordedAt?: Date;
}

export type AppendDecision<E extends NewEvent = NewEvent> =
  | { readonly outcome: 'write'; readonly placed: readonly PlacedEvent<E>[] }
  | { readonly outcome: 'replay'; readonly placed: readonly PlacedEvent[] }
  | { readonly outcome: 'conflict'; readonly actual: number };

/**
 * Decides on one append by the stream's newest revision (-1 = none) and the events stored under its ids already. It is
 * a replay when every event is stored where this append would have put it.
 */
export function decideAppend(
  append: CheckedAppend,
  actual: number,
  stored: ReadonlyMap<string, PlacedEvent>,
): AppendDecision<CheckedAppend['events'][number]> {
  const { stream, expected } = append;
  const placed = append.events.map((event, at) => ({ event, stream, revision: expected + 1 + at }));
  const there = placed.flatMap((own) => stored.get(own.event.id) ?? []);
  if (placed.every((own, at) => isThere(own, there[at]))) return { outcome: 'replay', placed: there };
  const isNew = expected === actual && placed.every(({ event }) => !stored.has(event.id));
  return isNew ? { outcome: 'write', placed } : { outcome: 'conflict', actual };
}

/** A placed event as it is stored. */
export function recordedOf({ event, stream, revision, position, recordedAt }: PlacedEvent): RecordedEvent {
  const { id, type, data, sealed, metadata } = event;
  if (position === undefined || recordedAt === undefined) throw new Error('An event that is not written has no place.');
  const rest = { cursor: String(position), recordedAt, metadata, ...(sealed === undefined ? {} : { sealed }) };
  return { stream, revision, id, type, data, ...rest };
}

const isThere = (own: PlacedEvent, stored: PlacedEvent | undefined): boolean =>
  stored?.stream === own.stream && stored.revision === own.revision && sameContent(stored.event, own.event);

export function lastOf<T>(items: readonly (T | undefined)[]): T {
  const last = items.at(-1);
  if (last === undefined) throw new Error('An append holds at least one event.');
  return last;
}
