import type { Before, Event, Last } from './event';

export type DestinationEvent = DestinationCreated | DestinationUpdated | DestinationRotated | DestinationDeleted;

export type DestinationCreated = Event<'DestinationCreated', DestinationDetails & { destinationId: string }>;
type DestinationUpdated = Event<
  'DestinationUpdated',
  DestinationDetails & { destinationId: string } & Before<DestinationSettings>
>;
/** A new secret signs; the former one signs along for a day. */
type DestinationRotated = Event<'DestinationRotated', DestinationUpdated['data']>;
type DestinationDeleted = Event<
  'DestinationDeleted',
  DestinationSubject & { destinationId: string } & Last<DestinationSettings>
>;

/** Fixed for ever. */
interface DestinationSubject {
  readonly organizationId: string;
  readonly kind: DestinationKind;
  /** The place in the chain of the organization with which it begins. */
  readonly begin: number;
}

export type DestinationDetails = DestinationSubject & DestinationSettings;

/** The settings of a destination that may change. */
export interface DestinationSettings {
  /** Unique in its organization. */
  readonly name: string;
  /** Scheme and host of its address. */
  readonly origin: string;
  /** The names of the headers that are sent, sorted. */
  readonly headerNames: readonly string[];
  /** Address, headers and secrets, encrypted together. */
  readonly sealed: string;
  /** The actions of the audit log that a webhook gets; none for an audit stream, which gets all. */
  readonly sends: readonly string[];
  readonly enabled: boolean;
}

/** `webhook`: a message for each entry of the audit log that it wants; `audit`: all of them, as lines of JSON. */
export const DESTINATION_KINDS = ['webhook', 'audit'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];
