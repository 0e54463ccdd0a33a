import type { DestinationKind } from '@ledgerline/contracts/events/destination.events';

/** The outcome of a try. `split`: the message is sent again in two halves. */
export type DeliveryOutcome = 'sent' | 'held_back' | 'set_aside' | 'off' | 'split';

export interface DeliveryAttempt {
  readonly kind: DestinationKind;
  /** Null = there was no answer. */
  readonly status: number | null;
  /** A mail server knows no such address. */
  readonly isGone?: boolean | undefined;
  /** The number of tries of the message, this one included. */
  readonly tries: number;
  /** How long ago its first try failed, ms; null = none has before. */
  readonly failingForMs: number | null;
  /** Entries of the message. */
  readonly entries: number;
  /** The next message was taken meanwhile: it is this one that the receiver cannot take. */
  readonly successorPasses: boolean;
}

export const isTaken = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

const MAX_SERVER_ERRORS = 10;

/** Whether a message may be the only one that a receiver fails at, so that the next one is tried. */
export const mayBlockOthers = ({ kind, status, tries }: Pick<DeliveryAttempt, 'kind' | 'status' | 'tries'>): boolean =>
  kind === 'webhook' && status !== null && status >= 500 && tries >= MAX_SERVER_ERRORS;

/** Answers about the message itself: it would be refused for ever. */
const REFUSALS: readonly (number | null)[] = [400, 409, 413, 422];
const MAX_REFUSALS = 3;
/** The time for which a webhook may fail. */
const OFF_AFTER_MS = 3 * 86_400_000;

/**
 * Returns what an answer means. Of an audit stream nothing is set aside, and it is never off: it waits until it is
 * taken.
 */
export function deliveryOutcome(attempt: DeliveryAttempt): DeliveryOutcome {
  const { kind, status, tries, failingForMs, entries, successorPasses } = attempt;
  if (isTaken(status)) return 'sent';
  if (successorPasses && mayBlockOthers(attempt)) return 'set_aside';
  if (kind === 'audit') return status === 413 && entries > 1 ? 'split' : 'held_back';
  if (status === 410 || attempt.isGone === true) return 'off';
  if (kind === 'mail' && status !== null && status >= 500) return 'set_aside'; // a mail server means it for ever
  if (REFUSALS.includes(status)) return tries < MAX_REFUSALS ? 'held_back' : 'set_aside';
  return failingForMs !== null && failingForMs >= OFF_AFTER_MS ? 'off' : 'held_back';
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** The longest that a receiver can ask for. */
const LONGEST_WISH_MS = 60 * 60_000;

/**
 * Returns how long after so many failed tries the next one is made, ms: twice as long each time, a quarter more or less
 * by `random`.
 */
export function pauseAfter(tries: number, wishMs: number | null, random: number): number {
  const usual = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
  return Math.round(Math.max(usual * (0.75 + random / 2), Math.min(wishMs ?? 0, LONGEST_WISH_MS)));
}
