import { websiteRollups } from './aggregates/website-rollups';
import { alertDecisions } from './read-models/alerts';
import {
  linkBrowsers,
  linkCities,
  linkClicks,
  linkClicks15min,
  linkCountries,
  linkDevices,
  linkReferrers,
  linkRegions,
  linkReturns,
} from './read-models/links';
import { monitorChecks15min, monitorDowntimes, monitorResults, monitorStates } from './read-models/monitors';
import { profileTraits, visitorProfiles } from './read-models/profiles';
import type { ReadModel } from './read-models/read-model';
import { type Group, type GroupSchema, REGISTRY } from './read-models/registry';
import { sessionChanges, sessionDays, sessionDayStates, sessionParts } from './read-models/session-days';
import { sessions } from './read-models/sessions';
import {
  customEvents,
  engagementSpans,
  errors,
  linkDomains,
  linkVisits,
  vitals,
  websiteDays,
  websiteNewestEvents,
} from './read-models/website-facts';

export const PROFILE_MODELS: readonly ReadModel[] = [visitorProfiles, profileTraits];

/** The read models from which the sessions of a batch are computed, facts included. */
const SESSION_MODELS: readonly ReadModel[] = [
  ...[sessions, websiteDays, sessionDays, sessionDayStates, sessionParts, sessionChanges],
  ...[linkVisits, errors, customEvents, vitals, engagementSpans],
];

/** The tables of every group, as this build declares them. */
export const GROUP_TABLES: Readonly<Record<Group, GroupSchema>> = {
  registry: REGISTRY,
  websites: {
    name: 'websites',
    builds: [...SESSION_MODELS, websiteRollups, linkDomains, websiteNewestEvents, ...PROFILE_MODELS],
    state: SESSION_MODELS,
  },
  links: {
    name: 'links',
    builds: [
      ...[linkClicks15min, linkReferrers, linkCountries, linkRegions, linkCities, linkDevices, linkBrowsers],
      ...[linkClicks, linkReturns],
    ],
    state: [linkClicks],
  },
  monitors: {
    name: 'monitors',
    builds: [monitorChecks15min, monitorStates, monitorResults, monitorDowntimes, alertDecisions],
    state: [monitorStates],
  },
};
