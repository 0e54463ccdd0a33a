import { type ReadModel, key, last, readModel, sum } from './read-model';

/**
 * Organizations, members, invitations, websites, links, flags, goals, funnels, segments, annotations, monitors, status pages, incidents, shares, API keys and OAuth grants from the event store, one row each. The
 * row of a deleted thing is deleted; only an organization's stays, with its `deleted_at`, and so do the rows of what belongs to it.
 */
export const organizations = readModel('organizations', {
  id: key('text'),
  name: last('text'),
  created_at: last('timestamptz'),
  updated_at: last('timestamptz'),
  deleted_at: last('timestamptz?'),
  revision: last('integer'),
});

export const members = readModel(
  'members',
  {
    organization_id: key('text'),
    user_id: key('text'),
    role: last('text'),
    joined_at: last('timestamptz'),
    /** Revisions of the organization: at which they joined, and since which they have this role. */
    joined_revision: last('integer'),
    role_revision: last('integer'),
  },
  [{ on: ['user_id'] }],
);

/** Neither accepted nor revoked; some have expired. */
export const invitations = readModel(
  'invitations',
  {
    id: key('text'),
    organization_id: last('text'),
    role: last('text'),
    invited_by: last('text'),
    expires_at: last('timestamptz'),
    created_at: last('timestamptz'),
    /** Of the organization, at which the person was invited. */
    revision: last('integer'),
  },
  [{ on: ['organization_id', 'created_at'] }],
);

export const websites = readModel(
  'websites',
  {
    id: key('text'),
    organization_id: last('text'),
    name: last('text'),
    domain: last('text'),
    details: last('jsonb'),
    created_at: last('timestamptz'),
    updated_at: last('timestamptz'),
    revision: last('integer'),
  },
  [{ on: ['organization_id', 'created_at'] }],
);

/** `words` are what a search compares (see `linkWords`). */
export const links = readModel(
  'links',
  {
    id: key('text'),
    organization_id: last('text'),
    slug: last('text'),
    name: last('text'),
    external_id: last('text?'),
    details: last('jsonb'),
    words: last('tsvector'),
    created_by: last('text'),
    created_at: last('timestamptz'),
    updated_at: last('timestamptz'),
    revision: last('integer'),
  },
  [
    { on: ['slug'] },
    { on: ['organization_id', 'external_id', 'created_at', 'id'] },
    { on: ['organization_id', 'created_at', 'id'] },
    { on: ['organization_id', 'updated_at', 'id'] },
    { on: ['organization_id', 'name', 'id'] },
    { on: ['words'], using: 'gin' },
  ],
);

/** How many links an organization has. */
export const linkCounts = readModel('link_counts', { organization_id: key('text'), links: sum() });

const owned = {
  id: key('text'),
  organization_id: last('text'),
  details: last('jsonb'),
  created_at: last('timestamptz'),
  updated_at: last('timestamptz'),
  revision: last('integer'),
};

/** `details` holds the values of rules encrypted, as the events do. */
export const flags = readModel('flags', owned, [{ on: ['organization_id', 'created_at'] }]);

export const goals = readModel('goals', owned, [{ on: ['organization_id', 'created_at'] }]);
export const funnels = readModel('funnels', owned, [{ on: ['organization_id', 'created_at'] }]);
export const segments = readModel('segments', owned, [{ on: ['organization_id', 'created_at'] }]);
export const annotations = readModel('annotations', owned, [{ on: ['organization_id', 'created_at'] }]);

/** What events of the event store are on charts, by the id of the event. */
export const HAPPENING_KINDS = [
  'link_target_changed',
  'flag_changed',
  'website_changed',
  'incident_opened',
  'incident_resolved',
] as const;
export type HappeningKind = (typeof HAPPENING_KINDS)[number];

/** They stay, whatever becomes of what they are about. */
export const happenings = readModel(
  'happenings',
  {
    id: key('text'),
    organization_id: last('text'),
    /** When the event was stored. */
    at: last('timestamptz'),
    kind: last('text'),
    /** Null = of no website, or of all of them. */
    website_id: last('text?'),
    /** The id of the link, flag, website or incident. */
    subject: last('text'),
    /** A sentence for people. */
    text: last('text'),
  },
  [{ on: ['organization_id', 'at'] }, { on: ['subject', 'at'] }],
);

/** `details` holds the headers encrypted, as the events do. */
export const monitors = readModel('monitors', owned, [{ on: ['organization_id', 'created_at'] }]);

export const statusPages = readModel('status_pages', owned, [{ on: ['organization_id', 'created_at'] }]);

/** Those of deleted pages, too. */
export const incidents = readModel('incidents', owned, [{ on: ['organization_id', 'created_at'] }]);

/** Those of deleted websites, too. */
export const shares = readModel('shares', owned, [{ on: ['organization_id', 'created_at'] }]);

/** Disabled and revoked ones, too. */
export const apiKeys = readModel(
  'api_keys',
  {
    id: key('text'),
    organization_id: last('text'),
    name: last('text'),
    details: last('jsonb'),
    enabled: last('boolean'),
    start: last('text'),
    secret_id: last('text'),
    revoked_at: last('timestamptz?'),
    created_at: last('timestamptz'),
    updated_at: last('timestamptz'),
    revision: last('integer'),
  },
  [{ on: ['organization_id', 'created_at'] }],
);

/** Those that are not revoked. */
export const oauthGrants = readModel(
  'oauth_grants',
  {
    id: key('text'),
    organization_id: last('text'),
    user_id: last('text'),
    details: last('jsonb'),
    created_at: last('timestamptz'),
    updated_at: last('timestamptz'),
    revision: last('integer'),
  },
  [{ on: ['user_id'] }],
);

export const REGISTRY: GroupSchema = {
  name: 'registry',
  builds: [
    organizations,
    members,
    invitations,
    websites,
    links,
    linkCounts,
    flags,
    goals,
    funnels,
    segments,
    annotations,
    happenings,
    monitors,
    statusPages,
    incidents,
    shares,
    apiKeys,
    oauthGrants,
  ],
  state: [links],
};

/**
 * Projections advance in groups: one checkpoint per group and log partition, written in one transaction with the rows,
 * so that a snapshot is consistent. A version is the Postgres schema
 * `<group>_v<version>` with its checkpoints; `projection_groups` names the live one, and the tables that are in the
 * schema of another version.
 */
export const GROUPS = ['registry', 'websites', 'links', 'monitors'] as const;
export type Group = (typeof GROUPS)[number];

export const schemaOf = (group: Group, version: number): string => `${group}_v${version}`;

/** The tables of a group. */
export interface GroupSchema {
  readonly name: Group;
  readonly builds: readonly ReadModel[];
  /** Those of them that computing changes reads: no table can be filled without them, and they change together. */
  readonly state: readonly ReadModel[];
}
