import type { Json, JsonObject } from '../json';

/** Makes the data of one version of an event into that of the next. Pure, and never changed once events were read with it. */
export type Upcaster = (data: JsonObject) => JsonObject;

/** Fields that have a fixed value where they are absent. */
export const withFieldDefaults =
  (defaults: Readonly<Record<string, Json>>): Upcaster =>
  (data) => ({ ...defaults, ...data });

/** Fields that were added to the events of a kind, with what they are of earlier records. */
export const ADDED_FIELD_DEFAULTS = {
  /** Hits were kept for ever before there was a number of days. */
  websites: { retentionDays: null },
  /** Flags had one state in all environments, and a range for each variant in its place. */
  flags: { environments: [], variantRanges: null },
  /** Monitors had none of these options. */
  monitors: { unwantedText: null, slowAfterMs: null, certificateDays: null, ignoreTlsErrors: false, body: null },
  /** Status pages showed times in UTC. */
  statusPages: { timezone: 'UTC' },
  /** Maintenances took place once. */
  incidents: { repeat: null, repeatSetAt: null },
  /** Destinations got entries of the audit log alone, as JSON, and none was a mail. */
  destinations: {
    format: 'json',
    websiteIds: null,
    linkIds: null,
    monitorIds: null,
    goalIds: null,
    openToMembers: false,
    consent: null,
  },
};

/**
 * Links forwarded parameters before there was a choice; redirects to own websites name their click, unless a link says
 * otherwise. There were no tags.
 */
export const LINK_UPCASTERS = [
  withFieldDefaults({ forwardQuery: true }),
  withFieldDefaults({ trackVisits: true }),
  withFieldDefaults({ tagIds: [] }),
];

/** Destinations had neither a format nor anything that they are about; then none was a mail. */
export const DESTINATION_UPCASTERS = [
  withFieldDefaults(ADDED_FIELD_DEFAULTS.destinations),
  withFieldDefaults(ADDED_FIELD_DEFAULTS.destinations),
];
