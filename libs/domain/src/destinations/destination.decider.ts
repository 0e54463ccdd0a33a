import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  DestinationDetails,
  DestinationEvent,
  DestinationSettings,
} from '@ledgerline/contracts/events/destination.events';
import { ADDED_FIELD_DEFAULTS } from '@ledgerline/contracts/events/upcasters';
import { type Command, type Decider, applyChanges } from '../decider';
import { type NamedRecordCommand, namedRecords } from '../named-records';

type OfDestination = NamedRecordCommand<'Destination', 'destinationId', DestinationDetails>;
/** The sealed value with the new secret, and the former one for a day. */
type RotateDestination = Command<
  'RotateDestination',
  { readonly destinationId: string } & Pick<DestinationSettings, 'sealed'>
>;
/** By the link of the mail to this sealed address: it begins with what happens from now on. */
type ConfirmDestination = Command<
  'ConfirmDestination',
  { readonly destinationId: string } & Pick<DestinationSettings, 'sealed' | 'begin'>
>;
type UnsubscribeDestination = Command<'UnsubscribeDestination', { readonly destinationId: string }>;
export type DestinationCommand = OfDestination | RotateDestination | ConfirmDestination | UnsubscribeDestination;

/** The defaults of a destination. */
export const plainDestination = {
  ...ADDED_FIELD_DEFAULTS.destinations,
  format: 'json',
  sends: [],
  enabled: true,
} as const satisfies Partial<DestinationDetails>;

/** Whether a mail may tell of messages of a type. */
export const isMailedMessageType = (type: string): boolean => /^(monitor|incident)\./.test(type);

const named = namedRecords<'destinations', OfDestination>('destinations', {
  full: 'DESTINATIONS_FULL',
  assertValid({ kind, sends, consent, enabled }) {
    if (kind === 'audit' && sends.length > 0) throw new Rejection('DESTINATION_SENDS_INVALID', 'sends');
    if (kind === 'mail' && !sends.every(isMailedMessageType)) throw new Rejection('MAIL_SENDS_INVALID', 'sends');
    if (consent === 'withdrawn' && enabled) throw new Rejection('MAIL_UNWANTED');
  },
});

/** The destinations of an organization. */
export const destination: Decider<ReadonlyMap<string, DestinationDetails>, DestinationCommand, DestinationEvent> = {
  ...named,
  decide: {
    ...named.decide,
    RotateDestination(destinations, { destinationId, sealed }) {
      const held = destinations.get(destinationId);
      if (!held) throw new Rejection('DESTINATION_NOT_FOUND');
      const details = applyChanges({ ...held, destinationId }, { sealed });
      return details ? [{ type: 'DestinationRotated', data: details }] : [];
    },
    ConfirmDestination(destinations, { destinationId, sealed, begin }) {
      const held = destinations.get(destinationId);
      if (!held) throw new Rejection('DESTINATION_NOT_FOUND');
      if (held.consent !== 'asked' || held.sealed !== sealed) return [];
      const details = applyChanges({ ...held, destinationId }, { consent: 'given', begin });
      return details ? [{ type: 'DestinationConfirmed', data: details }] : [];
    },
    UnsubscribeDestination(destinations, { destinationId }) {
      const held = destinations.get(destinationId);
      if (!held) throw new Rejection('DESTINATION_NOT_FOUND');
      if (held.consent === null || held.consent === 'withdrawn') return [];
      const details = applyChanges({ ...held, destinationId }, { consent: 'withdrawn', enabled: false });
      return details ? [{ type: 'DestinationUnsubscribed', data: details }] : [];
    },
  },
  evolve: {
    ...named.evolve,
    DestinationRotated: named.evolve.DestinationUpdated,
    DestinationConfirmed: named.evolve.DestinationUpdated,
    DestinationUnsubscribed: named.evolve.DestinationUpdated,
  },
};
