import type { ErasureEvent, SubjectErased } from '@ledgerline/contracts/events/audit-log.events';
import { decider, type Command } from '../decider';

type EraseSubject = Command<'EraseSubject', SubjectErased['data']>;

/** An erasure has a stream of its own; projectors append to it what they find in the log. */
export const erasure = decider<null, EraseSubject, ErasureEvent>({
  initial: null,
  decide: { EraseSubject: (_, data) => [{ type: 'SubjectErased', data }] },
  evolve: {
    SubjectErased: () => null,
    ErasureExtended: () => null,
    HitsExpired: () => null,
    HitsRewritten: () => null,
  },
});
