import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';

/** What an event is, and which events it must stay in order with. */
export interface EventDescription {
  readonly id: string;
  readonly type: string;
  /** Id of its website, link, monitor or stream. */
  readonly subject: string;
  /** What an event changes depends on earlier ones of its partition with the same key alone. */
  readonly orderKey: string;
  /** When it happened, epoch ms. */
  readonly at: number;
}

/** Of a hit, which depends on what the same actor did before. */
export const describeHit = ({ id, type, at }: ObservedEvent, subject: string, actor: string): EventDescription => ({
  id,
  type,
  subject,
  orderKey: `${subject} ${actor}`,
  at,
});
