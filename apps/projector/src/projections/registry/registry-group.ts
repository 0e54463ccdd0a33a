import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { eventGroup } from '../event-group';
import type { EventProjection } from '../event-projection';
import type { ProjectionGroup } from '../projection-group';
import { apiKeysProjection } from './api-keys.projection';
import type { Decided } from './decided';
import { linksProjection } from './links.projection';
import { organizationsProjection } from './organizations.projection';
import { websitesProjection } from './websites.projection';

/** Everything that exists, as decided. */
export const REGISTRY_PROJECTIONS: readonly EventProjection<Decided>[] = [
  organizationsProjection,
  websitesProjection,
  linksProjection,
  apiKeysProjection,
];

export const registryGroup = (): ProjectionGroup<RecordedEvent> =>
  eventGroup('registry', REGISTRY_PROJECTIONS, {
    meaning: [1],
    eventOf: ({ type, data, revision, recordedAt }) =>
      // the store keeps what the deciders gave it: `type` says what `data` is
      ({ type, data, revision, at: recordedAt.getTime() }) as unknown as Decided,
    cursorOf: ({ cursor }) => cursor,
    loggedAt: ({ recordedAt }) => recordedAt.getTime(),
  });
