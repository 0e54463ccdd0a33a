import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Pool } from 'pg';
import { linksGroup } from './links/links-group';
import { monitorsGroup } from './monitors/monitors-group';
import type { ProjectionGroup } from './projection-group';
import { registryGroup } from './registry/registry-group';
import { WebsitesGroup } from './websites/websites-group';

/** The projection groups that read the event store. */
export const DECIDED_GROUPS: readonly ProjectionGroup<RecordedEvent>[] = [registryGroup()];

/** Those that read the intake log, for one read store. */
export const observedGroups = (pool: Pool): readonly ProjectionGroup<LoggedHit>[] => [
  new WebsitesGroup(pool),
  linksGroup(),
  monitorsGroup(),
];
