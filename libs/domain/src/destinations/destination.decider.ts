import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  DestinationDetails,
  DestinationEvent,
  DestinationSettings,
} from '@ledgerline/contracts/events/destination.events';
import { LATER } from '@ledgerline/contracts/events/upcasters';
import { type Command, type Decider, applyChanges } from '../decider';
import { type NamedRecordCommand, namedRecords } from '../named-records';

type OfDestination = NamedRecordCommand<'Destination', 'destinationId', DestinationDetails>;
/** The sealed value with the new secret, and the former one for a day. */
type RotateDestination = Command<
  'RotateDestination',
  { readonly destinationId: string } & Pick<DestinationSettings, 'sealed'>
>;
export type DestinationCommand = OfDestination | RotateDestination;

/** The defaults of a destination. */
export const plainDestination = {
  ...LATER.destinations,
  format: 'json',
  sends: [],
  enabled: true,
} as const satisfies Partial<DestinationDetails>;

const named = namedRecords<'destinations', OfDestination>('destinations', {
  full: 'DESTINATIONS_FULL',
  assertValid({ kind, sends }) {
    if (kind === 'audit' && sends.length > 0) throw new Rejection('DESTINATION_SENDS_INVALID', 'sends');
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
  },
  evolve: { ...named.evolve, DestinationRotated: named.evolve.DestinationUpdated },
};
