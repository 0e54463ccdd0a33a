import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import { decide, type Decider, type DomainMessage } from '@ledgerline/domain/decider';

/** given what happened, when somebody wants something, then this happens, or it is rejected for this fact. */
export const specify =
  <State, Commands extends DomainMessage, Events extends DomainMessage>(rules: Decider<State, Commands, Events>) =>
  (...history: readonly Events[]) => ({
    when: (command: Commands) => ({
      then: (...events: readonly Events[]) => expect(decide(rules, history, command)).toEqual(events),
      rejects: (fact: RejectionFact) => expect(() => decide(rules, history, command)).toThrow(new Rejection(fact)),
    }),
  });
