import { RECORD_KINDS, type RecordKinds } from '../record-kinds';
import { type ReadModel, key, last, readModel, sum } from './read-model';

const members = readModel(
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
const invitations = readModel(
  'invitations',
  {
    id: key('text'),
    organization_id: last('text'),
    role: last('text'),
    invited_by: last('text'),
    expires_at: last('timestamptz'),
    created_at: last('timestamptz'),
    /** The revision of the organization at which the person was invited. */
    revision: last('integer'),
  },
  [{ on: ['organization_id', 'created_at'] }],
);

/** The number of links an organization has. */
export const linkCounts = readModel('link_counts', { organization_id: key('text'), links: sum() });

/** The kinds of events of the event store that are on charts, by the id of the event. */
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

type KindTables = { readonly [Kind in keyof RecordKinds]: RecordKinds[Kind]['table'] };

const { organizations, ...owned } = Object.fromEntries(
  Object.entries(RECORD_KINDS).map(([kind, { table }]) => [kind, table]),
) as unknown as KindTables; // a table for each kind

/**
 * The tables of all records, one row each. A column holds the field of its name in camel case, of the record or of its
 * details. The row of a deleted thing is deleted, except that of an organization.
 */
export const RECORD_TABLES = { organizations, members, invitations, ...owned };

export const REGISTRY: GroupSchema = {
  name: 'registry',
  builds: [...Object.values(RECORD_TABLES), linkCounts, happenings],
  state: [RECORD_TABLES.links],
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
  /** The read models that computing changes reads: no table can be filled without them, and they change together. */
  readonly state: readonly ReadModel[];
}
