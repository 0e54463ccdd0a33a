import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import { eventProjection } from '../event-projection';

/** A decided event as it was recorded; `at` in epoch ms, `revision` in its stream. */
export type Decided<Event extends DecidedEvent = DecidedEvent> = Event extends DecidedEvent
  ? Event & { readonly at: number; readonly revision: number }
  : never;

export const registryProjection = eventProjection<Decided>();
