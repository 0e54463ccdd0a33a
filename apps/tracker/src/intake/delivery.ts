import type { ErrorCode, FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { ObservedEvent, Surroundings } from '@ledgerline/contracts/events/observed-events';
import type { KeyCaller } from '@ledgerline/domain/access/caller';
import type { Website } from '@ledgerline/domain/directory/directory';
import type { RateLimit } from '../http/rate-limits';
import type { Payload } from './payloads/payload';
import type { ReadPayload } from './payloads/read-payload';

/** One request on its way through intake. Steps add what they find out; what is secret is gone before it is recorded. */
export interface Delivery {
  readonly request: IntakeRequest;
  /** The client's address; null once it is forgotten. */
  address: string | null;
  userAgent: string | null;
  /** The key that vouches for the request; null = a browser. */
  caller: KeyCaller | null;
  bot: BotVerdict | null;
  surroundings: Surroundings;
  /** Items that are still to be recorded, in the order they came. */
  items: Item[];
  refused: Refusal[];
  rateLimit: RateLimit | null;
  /** Where the log stands after this request, for those who want to read their own writes. */
  positions: ReadonlyMap<number, string>;
}

/** What was asked, as HTTP said it. */
export interface IntakeRequest {
  readonly receivedAt: number;
  readonly read: ReadPayload;
  readonly maxItems: number;
  /** What it means here when neither a key nor a website is named. */
  readonly nobody: ErrorCode;
  readonly body: unknown;
  /** The API key as it was sent. */
  readonly secret: string | null;
  /** The website the query string or a header names. */
  readonly websiteId: string | null;
  readonly origin: string | null;
}

export interface Item {
  /** Its place among the items of the request. */
  readonly index: number;
  readonly payload: Payload;
  readonly at: number;
  /** null until it is known whose the item is; stays null for an event of the whole organization. */
  website: Website | null;
  organizationId: string;
  visitorId: string | null;
  sessionId: string | null;
  event: ObservedEvent | null;
}

/** An item that is not taken, and why. */
export interface Refusal {
  readonly index: number;
  readonly eventId: string | null;
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
}

export interface BotVerdict {
  readonly name: string | null;
  readonly rule: string;
  readonly ruleVersion: string;
}

export const NOWHERE: Surroundings = {
  country: null,
  region: null,
  city: null,
  browser: null,
  browserVersion: null,
  os: null,
  device: 'other',
};

export const newDelivery = (request: IntakeRequest, address: string | null, userAgent: string | null): Delivery => ({
  request,
  address,
  userAgent,
  caller: null,
  bot: null,
  surroundings: NOWHERE,
  items: [],
  refused: [],
  rateLimit: null,
  positions: NO_POSITIONS,
});

const NO_POSITIONS: ReadonlyMap<number, string> = new Map();

/** Takes an item out and says why. */
export function refuse(delivery: Delivery, item: Item, code: ErrorCode, error: FieldError): void {
  delivery.items = delivery.items.filter((each) => each !== item);
  const { index, payload } = item;
  delivery.refused.push({ index, eventId: payload.clientEventId, code, errors: [error] });
}
