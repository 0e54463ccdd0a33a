import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { IntakeContext, IntakeRequest, Item } from './intake-context';
import { BadItem, type Payload } from './payloads/payload';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const EARLIEST_WITH_KEY = Date.UTC(2000, 0, 1);

/** Reads every item of the body; bad ones are put aside with their reasons. */
export function parseItems(context: IntakeContext): void {
  const { request } = context;
  const { maxItems } = request.route;
  const raw = Array.isArray(request.body) ? (request.body as unknown[]) : [request.body];
  if (raw.length > maxItems) throw tooMany(maxItems);
  const read = raw.flatMap((each, index) => {
    const payload = orRefused(context, each, index, () => request.route.read(each));
    return payload ? [{ index, payload }] : [];
  });
  const ahead = request.secret === null ? clockAhead(request, read) : 0;
  for (const { index, payload } of read)
    orRefused(context, raw[index], index, () => context.items.push(itemOf(index, payload, ahead, request)));
}

/** Undefined for an item that is put aside. */
function orRefused<Result>(
  context: IntakeContext,
  raw: unknown,
  index: number,
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadItem)) throw error;
    context.refused.push({ index, eventId: eventIdOf(raw), code: 'VALIDATION_ERROR', errors: error.errors });
    return undefined;
  }
}

/** @throws BadItem */
function itemOf(index: number, payload: Payload, ahead: number, { receivedAt, secret }: IntakeRequest): Item {
  const at = payload.at === null ? receivedAt : payload.at - ahead;
  const wrong = checkTime(at, receivedAt, secret !== null);
  if (wrong) throw new BadItem([wrong]);
  return { index, payload, at, ...UNKNOWN };
}

/**
 * By how much the clock of a browser is ahead of ours, in ms. Where the request does not say when it was sent, that is
 * unknown unless its newest time is impossible; then that event happened just now.
 */
function clockAhead({ sentAt, receivedAt }: IntakeRequest, read: readonly { readonly payload: Payload }[]): number {
  const newest = Math.max(...read.map(({ payload }) => payload.at ?? -Infinity));
  if (newest === -Infinity) return 0;
  if (sentAt !== null) return Math.max(sentAt, newest) - receivedAt;
  return newest > receivedAt || newest < receivedAt - WEEK_MS ? newest - receivedAt : 0;
}

const UNKNOWN = {
  website: null,
  organizationId: '',
  visitorId: null,
  sessionId: null,
  profileHash: null,
  profile: null,
  event: null,
  identification: null,
};

/** Only requests with a key may send events of the distant past. */
function checkTime(at: number, now: number, withKey: boolean): FieldError | undefined {
  if (at > now + HOUR_MS) return { field: 'timestamp', message: 'must not be more than an hour in the future' };
  if (withKey && at < EARLIEST_WITH_KEY) return { field: 'timestamp', message: 'must not be before the year 2000' };
  if (!withKey && at < now - WEEK_MS) return { field: 'timestamp', message: 'must not be older than 7 days' };
  return undefined;
}

const tooMany = (max: number) =>
  new Problem('VALIDATION_ERROR', `A request must not have more than ${max} items.`, [
    { field: 'body', message: `must not have more than ${max} items` },
  ]);

function eventIdOf(raw: unknown): string | null {
  const eventId = raw !== null && typeof raw === 'object' && 'eventId' in raw ? raw.eventId : null;
  return typeof eventId === 'string' && eventId.length <= 512 ? eventId : null;
}
