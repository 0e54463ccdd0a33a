import type { Logger } from '../logging/logger';

/** Events of a type, or of a version of it, that this program does not know. */
export interface UnknownEvents {
  readonly log: 'event store' | 'intake log';
  readonly type: string;
  readonly version: number;
}

/** Names that other clients have appended under are not bounded, unlike the memory for them. */
const MAX_KINDS = 100;
const OTHERS = 'other';

const counts = new Map<string, UnknownEvents & { events: number }>();
let logger: Pick<Logger, 'warn'> | undefined;

/** Counts events that a reader of this process passes over; the first of a kind is logged. */
export function countUnknown({ log, type, version }: UnknownEvents, events = 1): void {
  const kind = `${log} ${type} ${version}`;
  const known = counts.get(kind);
  if (known) known.events += events;
  else if (counts.size >= MAX_KINDS && type !== OTHERS) countUnknown({ log, type: OTHERS, version: 0 }, events);
  else {
    const counted = { log, type, version, events };
    counts.set(kind, counted);
    if (logger) report(counted, logger);
  }
}

/** As often as they were read. */
export const unknownEvents = (): Iterable<UnknownEvents & { readonly events: number }> => counts.values();

/** Where this process logs kinds of events that it does not know, those that it has read already included. */
export function logUnknownEvents(to: Pick<Logger, 'warn'>): void {
  logger = to;
  for (const counted of counts.values()) report(counted, to);
}

const report = ({ log, type, version }: UnknownEvents, to: Pick<Logger, 'warn'>) =>
  to.warn({ log, type, version }, 'events that this version does not know are passed over');
