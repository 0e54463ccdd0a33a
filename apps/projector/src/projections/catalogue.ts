import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Pool } from 'pg';
import { linksGroup } from './links/links-group';
import type { ProjectionGroup } from './projection-group';
import { registryGroup } from './registry/registry-group';
import { WebsitesGroup } from './websites/websites-group';

/** All projection groups, by the log they read. */
interface ProjectionCatalogue {
  readonly eventStore: readonly ProjectionGroup<RecordedEvent>[];
  readonly intakeLog: readonly ProjectionGroup<LoggedHit>[];
}

export const projectionCatalogue = (pool: Pool): ProjectionCatalogue => ({
  eventStore: [registryGroup()],
  intakeLog: [new WebsitesGroup(pool), linksGroup()],
});
