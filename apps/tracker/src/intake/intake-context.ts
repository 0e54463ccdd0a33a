import type { Website } from '@ledgerline/contracts/records';
import type { ErrorCode, FieldError } from '@ledgerline/contracts/errors/error-codes';
import type {
  Agent,
  ObservedEvent,
  Place,
  SealedProfile,
  VisitorIdentified,
} from '@ledgerline/contracts/events/observed-events';
import type { KeyCaller } from '@ledgerline/domain/access/caller';
import type { IntakeItem, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import type { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import type { VisitorSalts } from '@ledgerline/platform/salts/visitor-salts';
import type { RateLimit, RateLimits } from '../http/rate-limits';
import type { RegistryLookup } from '../registry/registry-lookup';
import type { BotVerdict } from '../visitors/bot-verdict';
import type { GeoDatabase } from '../visitors/geo-database';
import type { HitsPerVisitor } from '../visitors/hits-per-visitor';
import type { VisitPeriods } from '../visitors/visit-periods';
import { UNKNOWN_AGENT, UNKNOWN_PLACE } from '../visitors/visitor-attributes';
import type { Payload } from './payloads/payload';

/** What the steps use. */
export interface IntakeDeps {
  readonly registry: Pick<RegistryLookup, 'website' | 'caller'>;
  readonly salts: Pick<VisitorSalts, 'saltFor'>;
  readonly visitPeriods: Pick<VisitPeriods, 'periodOf'>;
  readonly geo: Pick<GeoDatabase, 'locate'>;
  readonly limits: Pick<RateLimits, 'take' | 'takeOwn' | 'look'>;
  readonly hitsPerVisitor: Pick<HitsPerVisitor, 'take'>;
  readonly profileKeys: Pick<ProfileKeys, 'obtain'>;
  readonly recordHits: (hits: readonly IntakeItem[]) => Promise<SendResult>;
}

/** One request on its way through the steps; address and user agent are dropped before it is recorded. */
export interface IntakeContext {
  readonly request: IntakeRequest;
  /** The client's address; null once it is dropped. */
  address: string | null;
  userAgent: string | null;
  /** The key of the request; null = a browser. */
  caller: KeyCaller | null;
  /** Why its hits are never counted; null = they are. */
  bot: BotVerdict | null;
  place: Place;
  agent: Agent;
  /** Items that are still to be recorded, in the order they came. */
  items: Item[];
  refused: Refusal[];
  rateLimit: RateLimit | null;
  /** The log's positions after this request, for clients that read their own writes. */
  positions: ReadonlyMap<number, string>;
}

/** The HTTP request. */
export interface IntakeRequest {
  readonly receivedAt: number;
  readonly route: Route;
  readonly body: unknown;
  /** The API key as it was sent. */
  readonly secret: string | null;
  /** The website the query string or a header names. */
  readonly websiteId: string | null;
  readonly origin: string | null;
  /** Whether its headers say that nobody sees the page yet. */
  readonly isUnseen: boolean;
  /** When a browser sent it, by the clock that its timestamps are of; null = it does not say. */
  readonly sentAt: number | null;
}

/** How a route reads its body. */
export interface Route {
  readonly read: ReadPayload;
  readonly maxItems: number;
  /** Answered when neither a key nor a website is named. */
  readonly unidentified: ErrorCode;
}

/** @throws BadItem */
type ReadPayload = (item: unknown) => Payload;

export interface Item {
  /** Its place among the items of the request. */
  readonly index: number;
  readonly payload: Payload;
  readonly at: number;
  /** null until it is identified; stays null for an event of the whole organization. */
  website: Website | null;
  organizationId: string;
  visitorId: string | null;
  sessionId: string | null;
  /** Hash of the profile id that the item names. */
  profileHash: string | null;
  /** Who the visitor is, of an identification and of a hit that names a profile. */
  profile: SealedProfile | null;
  event: ObservedEvent | null;
  /** What a hit that names a profile says of its visitor, beside the event. */
  identification: VisitorIdentified | null;
}

/** An item that is not taken, and why. */
export interface Refusal {
  readonly index: number;
  readonly eventId: string | null;
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
}

export const newContext = (
  request: IntakeRequest,
  address: string | null,
  userAgent: string | null,
): IntakeContext => ({
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

/** Website, or organization for its own events: what its hits are ordered and deduplicated by. */
export const subjectOf = ({ website, organizationId }: Item): string => website?.id ?? organizationId;

export const isIdentification = ({ payload }: Item): boolean => payload.facts.type === 'VisitorIdentified';

/** Takes an item out, with the reason. */
export function refuse(context: IntakeContext, item: Item, code: ErrorCode, error: FieldError): void {
  context.items = context.items.filter((each) => each !== item);
  const { index, payload } = item;
  context.refused.push({ index, eventId: payload.clientEventId, code, errors: [error] });
}
