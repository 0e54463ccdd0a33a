import type {
  ObservedEvent,
  PageViewed,
  VisitorAttributes,
  WebsiteObservedEvent,
  WebsiteStamp,
} from '@ledgerline/contracts/events/observed-events';
import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { Origin } from '../../parse/page';

/** What a client said of one event: cleaned, within the limits, and not yet about anybody. */
export interface Payload {
  /** The kind within which a client's event id is unique: the event's name. */
  readonly kind: string;
  readonly clientEventId: string | null;
  /** When it happened, epoch ms; null = now. */
  readonly at: number | null;
  readonly websiteId: string | null;
  readonly anonymousId: string | null;
  readonly profileId: string | null;
  readonly sessionId: string | null;
  /** `anonymizeVisitorIds: false`: the client wants its ids to be recognised. */
  readonly recognisable: boolean;
  readonly facts: Facts;
}

/** What only this type of event says; everything else is stamped on it by intake. */
export type Facts = FactsOf<Exclude<WebsiteObservedEvent, PageViewed>> | PageViewFacts;

export type FactsOf<Observed extends ObservedEvent> = Observed extends ObservedEvent
  ? { readonly type: Observed['type']; readonly data: Omit<Observed['data'], keyof (WebsiteStamp & VisitorAttributes)> }
  : never;

export interface PageViewFacts {
  readonly type: 'PageViewed';
  readonly data: Omit<FactsOf<PageViewed>['data'], 'referrer'> & { readonly referrer: Origin | null };
}

/** Why an item is not taken: every wrong field with a reason. */
export class BadItem extends Error {
  constructor(readonly errors: readonly FieldError[]) {
    super(errors.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.name = 'BadItem';
  }
}

export const bad = (field: string, message: string): BadItem => new BadItem([{ field, message }]);
