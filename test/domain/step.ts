import fc from 'fast-check';
import type { Decider, DomainMessage } from '@ledgerline/domain/decider';

/** A command to one thing of a few; what the rules refuse happens not. */
export interface Step {
  readonly stream: string;
  readonly rules: Decider<unknown, DomainMessage, DomainMessage>;
  readonly command: DomainMessage;
}

export const step = <State, Commands extends DomainMessage, Events extends DomainMessage>(
  stream: string,
  rules: Decider<State, Commands, Events>,
  command: Commands,
): Step => ({ stream, rules: rules as unknown as Step['rules'], command }); // a step takes the commands of its rules

export const few = fc.integer({ min: 1, max: 3 });
export const organizationId = fc.constantFrom('org_1', 'org_2');
export const name = fc.constantFrom('A', 'B', 'C');
