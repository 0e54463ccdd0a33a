import type { BeforeValues, Event, LastValues } from './event';

export type DestinationEvent =
  | DestinationCreated
  | DestinationUpdated
  | DestinationRotated
  | DestinationConfirmed
  | DestinationUnsubscribed
  | DestinationDeleted;

export type DestinationCreated = Event<'DestinationCreated', DestinationDetails & { destinationId: string }>;
type DestinationUpdated = Event<
  'DestinationUpdated',
  DestinationDetails & { destinationId: string } & BeforeValues<DestinationSettings>
>;
/** A new secret signs; the former one signs along for a day. */
type DestinationRotated = Event<'DestinationRotated', DestinationUpdated['data']>;
/** The addressee wants the mails: from then on they are sent. */
type DestinationConfirmed = Event<'DestinationConfirmed', DestinationUpdated['data']>;
/** The addressee wants no more mails. */
type DestinationUnsubscribed = Event<'DestinationUnsubscribed', DestinationUpdated['data']>;
type DestinationDeleted = Event<
  'DestinationDeleted',
  DestinationSubject & { destinationId: string } & LastValues<DestinationSettings>
>;

/** Fixed for ever. */
interface DestinationSubject {
  readonly organizationId: string;
  readonly kind: DestinationKind;
  readonly format: DestinationFormat;
}

export type DestinationDetails = DestinationSubject & DestinationSettings;

/** The settings of a destination that may change. */
export interface DestinationSettings {
  /** Unique in its organization. */
  readonly name: string;
  /** The place in the chain of the organization with which it begins: that of its creation, or of its confirmation. */
  readonly begin: number;
  /** Scheme and host of its address; of a mail, its address without the name. */
  readonly origin: string;
  /** The names of the headers that are sent, sorted. */
  readonly headerNames: readonly string[];
  /** Address, headers and secrets, encrypted together. */
  readonly sealed: string;
  /** The types of messages that it gets; none for an audit stream, which gets the whole audit log. */
  readonly sends: readonly string[];
  /** About which of them it gets messages; null = about all. */
  readonly websiteIds: readonly string[] | null;
  readonly linkIds: readonly string[] | null;
  readonly monitorIds: readonly string[] | null;
  readonly goalIds: readonly string[] | null;
  /** Whether members may have alerts sent to it. */
  readonly openToMembers: boolean;
  readonly enabled: boolean;
  /** Whether the addressee wants its mails; null = it sends none. */
  readonly consent: DestinationConsent | null;
}

export type DestinationConsent = 'asked' | 'given' | 'withdrawn';

/** `webhook`: a request for each message that it wants; `mail`: a mail for each; `audit`: the whole audit log, as lines of JSON. */
export const DESTINATION_KINDS = ['webhook', 'mail', 'audit'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** What a webhook sends: a message as it is, or as a text in a body that Slack or Discord takes. */
export const DESTINATION_FORMATS = ['json', 'slack', 'discord'] as const;
export type DestinationFormat = (typeof DESTINATION_FORMATS)[number];
