import type { ErrorCode, FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { KeyCaller } from '@ledgerline/domain/access/caller';
import type { Website } from '@ledgerline/domain/registry/registry';
import { UNKNOWN_PLACE, type Place } from '../geo/atlas';
import type { RateLimit } from '../http/rate-limits';
import { UNKNOWN_AGENT, type Agent } from '../visitors/agent';
import type { BotVerdict } from '../visitors/bot-verdict';
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
  place: Place;
  agent: Agent;
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
  readonly route: Route;
  readonly body: unknown;
  /** The API key as it was sent. */
  readonly secret: string | null;
  /** The website the query string or a header names. */
  readonly websiteId: string | null;
  readonly origin: string | null;
}

/** How a route reads its body. */
export interface Route {
  readonly read: ReadPayload;
  readonly maxItems: number;
  /** What it means here when neither a key nor a website is named. */
  readonly nobody: ErrorCode;
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

export const newDelivery = (request: IntakeRequest, address: string | null, userAgent: string | null): Delivery => ({
  request,
  address,
  userAgent,
  caller: null,
  bot: null,
  place: UNKNOWN_PLACE,
  agent: UNKNOWN_AGENT,
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
