import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import * as linkModels from '@ledgerline/contracts/read-models/links';
import * as monitorModels from '@ledgerline/contracts/read-models/monitors';
import { profileTraits, visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import {
  sessionChanges,
  sessionDays,
  sessionDayStates,
  sessionParts,
} from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import {
  linkDomains,
  customEvents,
  engagementSpans,
  errors,
  vitals,
  websiteDays,
  websiteNewestEvents,
} from '@ledgerline/contracts/read-models/website-facts';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { createReadModels } from '../postgres/read-model-tables';

const WEBSITE_MODELS: readonly ReadModel[] = [
  sessions,
  websiteDays,
  sessionDays,
  sessionDayStates,
  sessionParts,
  sessionChanges,
  websiteRollups,
  linkDomains,
  websiteNewestEvents,
  customEvents,
  engagementSpans,
  errors,
  vitals,
  visitorProfiles,
  profileTraits,
];
export const LINK_MODELS: readonly ReadModel[] = Object.values(linkModels);
export const MONITOR_MODELS: readonly ReadModel[] = Object.values(monitorModels);

/** Empty tables of version 1, which answers. */
export async function createEmptyReadModels(on: Queryable): Promise<void> {
  await createReadModels(on, 'websites_v1', WEBSITE_MODELS);
  await createReadModels(on, 'links_v1', LINK_MODELS);
  await createReadModels(on, 'monitors_v1', MONITOR_MODELS);
  for (const name of ['websites', 'links', 'monitors']) {
    await on.query('insert into projection_groups (name, live_version) values ($1, 1)', [name]);
    await on.query(
      `insert into projection_checkpoints (projection_group, version, partition, epoch, cursor) values ($1, 1, 0, 'e', '')`,
      [name],
    );
  }
}
