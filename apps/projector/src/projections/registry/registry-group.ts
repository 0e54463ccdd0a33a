import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { eventGroup } from '../event-group';
import type { ProjectionGroup } from '../projection-group';
import { REGISTRY_PROJECTIONS, type RecordedDecision } from './registry.projections';

export const registryGroup = (): ProjectionGroup<RecordedEvent> =>
  eventGroup('registry', REGISTRY_PROJECTIONS, {
    schemaVersion: [1],
    eventOf: ({ type, data, revision, recordedAt }) =>
      // the store keeps what the deciders gave it: `type` says what `data` is
      ({ type, data, revision, at: recordedAt.getTime() }) as unknown as RecordedDecision,
    cursorOf: ({ cursor }) => cursor,
    loggedAt: ({ recordedAt }) => recordedAt.getTime(),
  });
