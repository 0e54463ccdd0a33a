import type {
  CustomEventTracked,
  ObservedEvent,
  PageViewed,
  VisitorAttributes,
  WebsiteObservedEvent,
  WebsiteStamp,
} from '@ledgerline/contracts/events/observed-events';
import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { Traits } from '@ledgerline/contracts/profiles';
import type { Origin } from '../../parse/page';

/** What a client sent of one event: cleaned and within the limits. */
export interface Payload {
  /** The kind within which a client's event id is unique: the event's name. */
  readonly kind: string;
  readonly clientEventId: string | null;
  /** Which of the reports with that id it is: the last one counts; null = the only one. */
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
export type Facts =
  | FactsOf<Exclude<WebsiteObservedEvent, PageViewed | CustomEventTracked>>
  | PageViewFacts
  | CustomEventFacts
  | IdentificationFacts;

type FactsOf<Observed extends ObservedEvent> = Observed extends ObservedEvent
  ? { readonly type: Observed['type']; readonly data: Omit<Observed['data'], keyof (WebsiteStamp & VisitorAttributes)> }
  : never;

export interface PageViewFacts {
  readonly type: 'PageViewed';
  readonly data: Omit<FactsOf<PageViewed>['data'], 'referrer'> & { readonly referrer: Origin | null };
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

/** Why an item is not taken: every wrong field with a reason. */
export class BadItem extends Error {
  constructor(readonly errors: readonly FieldError[]) {
    super(errors.map(({ field, message }) => `${field} ${message}`).join('; '));
    this.name = 'BadItem';
  }
}

export const bad = (field: string, message: string): BadItem => new BadItem([{ field, message }]);
