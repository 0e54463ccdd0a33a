import type { ErrorCode, FieldError } from '@ledgerline/contracts/errors/error-codes';
import type {
  UserAgentInfo,
  CustomEventTracked,
  ObservedEvent,
  PageViewed,
  Place,
  SealedProfile,
  VisitorAttributes,
  VisitorIdentified,
  WebsiteObservedEvent,
  WebsiteStamp,
} from '@ledgerline/contracts/events/observed-events';
import type { Traits } from '@ledgerline/contracts/read-models/profiles';
import type { Website } from '@ledgerline/contracts/records';
import { type KeyCaller, keyCaller } from '@ledgerline/domain/access/caller';
import type { Registry } from '@ledgerline/domain/registry/registry';
import type { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import { orUnavailable } from '@ledgerline/platform/database/database-errors';
import type { IntakeItem, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { availableWithin } from '@ledgerline/platform/log/timing';
import type { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import type { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import type { VisitorSalts } from '@ledgerline/platform/salts/visitor-salts';
import type { RateLimit, RateLimits } from '../http/rate-limits';
import type { ExternalReferrer } from '../parse';
import { type GeoDatabase, UNKNOWN_PLACE } from '../visitors/geo-database';
import { type BotVerdict, UNKNOWN_AGENT } from '../visitors/user-agent';
import type { HitsPerVisitor, VisitPeriods } from '../visitors/visit-periods';

/** The dependencies of the steps. */
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
  /** The ms that were taken off the times that a browser sent. */
  clockAhead: number;
  place: Place;
  agent: UserAgentInfo;
  /** Items that are still to be recorded, in the order they came. */
  items: ParsedItem[];
  refused: RefusedItem[];
  rateLimit: RateLimit | null;
  /** The log's positions after this request, for clients that read their own writes. */
  positions: ReadonlyMap<number, string>;
}

/** The HTTP request. */
export interface IntakeRequest {
  readonly receivedAt: number;
  readonly route: IntakeRoute;
  readonly body: unknown;
  /** The API key as it was sent. */
  readonly secret: string | null;
  /** The website the query string or a header names. */
  readonly websiteId: string | null;
  readonly origin: string | null;
  /** True if its headers say that nobody sees the page yet. */
  readonly isUnseen: boolean;
  /** When a browser sent it, by the clock that its timestamps are of; null = it does not say. */
  readonly sentAt: number | null;
  /** By how much that clock is ahead of ours, as the answer to an earlier request named it, in ms; null = none did. */
  readonly clockAhead: number | null;
}

/** The way in which a route reads its body. */
export interface IntakeRoute {
  readonly read: ReadPayload;
  readonly maxItems: number;
  /** Answered when neither a key nor a website is named. */
  readonly unidentified: ErrorCode;
}

/** @throws BadItem */
type ReadPayload = (item: unknown) => Payload;

/** The fields that a client sent of one event: cleaned and within the limits. */
export interface Payload {
  /** The kind within which a client's event id is unique: the event's name. */
  readonly kind: string;
  readonly clientEventId: string | null;
  /**
   * The number of the report among those with that id: the last one counts; null for kinds of which there are no
   * revisions.
   */
  readonly revision: number | null;
  /** When it happened, epoch ms; null = now. */
  readonly at: number | null;
  readonly websiteId: string | null;
  readonly anonymousId: string | null;
  readonly profileId: string | null;
  readonly sessionId: string | null;
  /** `anonymizeVisitorIds: false`: ids are hashed without a salt. */
  readonly recognisable: boolean;
  readonly facts: Facts;
}

/** The data of this type of event that the client sends; everything else is stamped on it by intake. */
type Facts =
  | FactsOf<Exclude<WebsiteObservedEvent, PageViewed | CustomEventTracked>>
  | PageViewFacts
  | CustomEventFacts
  | IdentificationFacts;

type FactsOf<Observed extends ObservedEvent> = Observed extends ObservedEvent
  ? {
      readonly type: Observed['type'];
      readonly data: Omit<Observed['data'], keyof (WebsiteStamp & VisitorAttributes) | 'own'>;
    }
  : never;

export interface PageViewFacts {
  readonly type: 'PageViewed';
  readonly data: Omit<FactsOf<PageViewed>['data'], 'referrer'> & { readonly referrer: ExternalReferrer | null };
}

/** Its profile id is recorded as a hash only. */
interface CustomEventFacts {
  readonly type: 'CustomEventTracked';
  readonly data: Omit<FactsOf<CustomEventTracked>['data'], 'profileId'>;
}

interface IdentificationFacts {
  readonly type: 'VisitorIdentified';
  readonly data: { readonly profileId: string; readonly traits: Traits };
}

export interface ParsedItem {
  /** Its place among the items of the request. */
  readonly index: number;
  readonly payload: Payload;
  /** Epoch ms. */
  at: number;
  /** null until it is identified; stays null for an event of the whole organization. */
  website: Website | null;
  organizationId: string;
  visitorId: string | null;
  sessionId: string | null;
  /** Hash of the profile id that the item names. */
  profileHash: string | null;
  /** The profile of the visitor, of an identification and of a hit that names a profile. */
  profile: SealedProfile | null;
  event: ObservedEvent | null;
  /** The identification that a hit with a profile makes of its visitor, beside the event. */
  identification: VisitorIdentified | null;
}

/** An item that is not taken, and why. */
export interface RefusedItem {
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
  clockAhead: 0,
  place: UNKNOWN_PLACE,
  agent: UNKNOWN_AGENT,
  items: [],
  refused: [],
  rateLimit: null,
  positions: NO_POSITIONS,
});

const NO_POSITIONS: ReadonlyMap<number, string> = new Map();

/** Website, or organization for its own events: what its hits are ordered and deduplicated by. */
export const subjectOf = ({ website, organizationId }: ParsedItem): string => website?.id ?? organizationId;

export const isIdentificationItem = ({ payload }: ParsedItem): boolean => payload.facts.type === 'VisitorIdentified';

/** Takes an item out, with the reason. */
export function refuse(context: IntakeContext, item: ParsedItem, code: ErrorCode, error: FieldError): void {
  context.items = context.items.filter((each) => each !== item);
  const { index, payload } = item;
  context.refused.push({ index, eventId: payload.clientEventId, code, errors: [error] });
}

/** A client has its answer soon, also while a store hangs. */
export const LOOKUP_MS = 3_500;

/** Finds websites and keys in the registry; what is not there is looked up again after the registry has caught up. */
export class RegistryLookup {
  constructor(
    private readonly registry: Pick<Registry, 'find'>,
    private readonly live: Pick<LiveRegistry, 'catchUp'>,
    private readonly lease: Pick<RegistryLease, 'whileHeld'>,
    private readonly secrets: Pick<SecretStore, 'find' | 'noteUse'>,
  ) {}

  /** Synchronous for a website in the registry. */
  website(id: string): Website | undefined | Promise<Website | undefined> {
    return this.registry.find('websites', id) ?? this.newWebsite(id);
  }

  /** The caller of a key, or undefined for a secret that is not (or no longer) one. */
  caller(secret: string): Promise<KeyCaller | undefined> {
    return availableWithin(LOOKUP_MS, 'The store of keys', () => this.findCaller(secret));
  }

  private async findCaller(secret: string): Promise<KeyCaller | undefined> {
    const found = await orUnavailable('The store of keys', () => this.secrets.find(secret));
    if (found === undefined) return undefined;
    const key = () => this.registry.find('apiKeys', found.keyId);
    const caller = await this.lease.whileHeld(
      () => keyCaller(key(), found.secretId, new Date()),
      () => key()?.secretId !== found.secretId, // written before its event: the key may be new, or rotated
    );
    if (caller !== undefined) this.secrets.noteUse(found.keyId);
    return caller;
  }

  private async newWebsite(id: string): Promise<Website | undefined> {
    if (!id.startsWith('site_')) return undefined;
    await availableWithin(LOOKUP_MS, 'The event store', () => this.live.catchUp());
    return this.registry.find('websites', id);
  }
}
