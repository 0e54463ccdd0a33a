import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import type { RecordedEvent } from './event-store';

/** Everything in the event store was written by us, as one of these. */
export const decided = (event: RecordedEvent): Recorded => event as RecordedEvent & Recorded;
