import type { AlertDetails, AlertEvent } from './events/alert.events';
import type {
  ApiKeyDetails,
  ApiKeyEvent,
  OAuthGrantDetails,
  OAuthGrantEvent,
  OwnApiKeyFields,
} from './events/api-key.events';
import type { AnnotationDetails, AnnotationEvent, SegmentDetails, SegmentEvent } from './events/definition.events';
import type { FunnelDetails, FunnelEvent, GoalDetails, GoalEvent } from './events/definition.events';
import type { DestinationDetails, DestinationEvent } from './events/destination.events';
import type { FlagDetails, FlagEvent, FlagName } from './events/flag.events';
import type { LinkDetails, LinkEvent } from './events/link.events';
import type { MonitorDetails, MonitorEvent } from './events/monitor.events';
import type {
  OrganizationDetails,
  OrganizationEvent,
  WebsiteDetails,
  WebsiteEvent,
} from './events/organization.events';
import type { ReportDetails, ReportEvent } from './events/report.events';
import type { SavedViewDetails, SavedViewEvent } from './events/saved-view.events';
import type { ShareDetails, ShareEvent } from './events/share.events';
import type { IncidentDetails, IncidentEvent } from './events/status-page.events';
import type { StatusPageAddress, StatusPageDetails, StatusPageEvent } from './events/status-page.events';
import type { TagDetails, TagEvent } from './events/tag.events';
import { DESTINATION_UPCASTERS, ADDED_FIELD_DEFAULTS, LINK_UPCASTERS, withFieldDefaults } from './events/upcasters';
import { linkRecords } from './read-models/links';
import { key, last, readModel } from './read-models/read-model';
import {
  ACCESS,
  type AnyRecordKind,
  type RecordEventDeclaration,
  changed,
  detailsColumn,
  idColumns,
  definedByWebsite,
  lifecycle,
  recordKind,
  streamById,
  streamOfOrganization,
  timeColumns,
  typicalKind,
} from './record-kind';

/** The kinds of records, in the order in which the audit log names them. */
export const RECORD_KINDS = {
  organizations: recordKind<OrganizationEvent, OrganizationDetails>()({
    ...typicalKind('Organization', 'org', ACCESS.peopleAlone),
    stream: ({ id }: { readonly id: string }) => streamById('organization')({ organizationId: id, id }),
    events: {
      OrganizationCreated: { effect: 'own' },
      OrganizationUpdated: { effect: 'own' },
      OrganizationDeleted: { effect: 'own', revokes: true },
      MemberInvited: { effect: 'own' },
      InvitationRevoked: { effect: 'own' },
      MemberAdded: { effect: 'own' },
      MemberRoleChanged: { effect: 'own', revokes: true },
      MemberRemoved: { effect: 'own', revokes: true },
      MemberLeft: { effect: 'own', revokes: true },
    },
    /** The row of a deleted organization stays, with its `deleted_at`, and so do the rows of what belongs to it. */
    table: readModel('organizations', {
      id: key('text'),
      name: last('text'),
      created_at: last('timestamptz'),
      updated_at: last('timestamptz'),
      deleted_at: last('timestamptz?'),
      revision: last('integer'),
    }),
  }),
  websites: recordKind<WebsiteEvent, WebsiteDetails>()({
    ...typicalKind('Website', 'site', ACCESS.adminsByWebsite),
    stream: streamById('website'),
    events: {
      WebsiteRegistered: { effect: 'creates', upcasters: [withFieldDefaults(ADDED_FIELD_DEFAULTS.websites)] },
      WebsiteUpdated: { effect: 'updates', upcasters: [withFieldDefaults(ADDED_FIELD_DEFAULTS.websites)] },
      WebsiteDeleted: { effect: 'deletes', revokes: true },
    },
    later: ADDED_FIELD_DEFAULTS.websites,
    table: readModel(
      'websites',
      { ...idColumns, name: last('text'), domain: last('text'), ...detailsColumn, ...timeColumns },
      [{ on: ['organization_id', 'created_at'] }],
    ),
  }),
  links: recordKind<LinkEvent, LinkDetails, { readonly createdBy: string }>()({
    ...typicalKind('Link', 'link', ACCESS.members),
    stream: streamById('link'),
    events: {
      LinkCreated: { effect: 'creates', upcasters: LINK_UPCASTERS },
      LinkUpdated: { effect: 'updates', upcasters: LINK_UPCASTERS },
      LinkDeleted: { effect: 'deletes', upcasters: LINK_UPCASTERS },
    },
    own: ['createdBy'],
    table: linkRecords,
  }),
  /** Its details hold the values of rules encrypted, as the events do. A stream has all flags that ever had this key. */
  flags: recordKind<FlagEvent, FlagDetails>()({
    ...typicalKind('Flag', 'flag', ACCESS.flags),
    stream: ({ organizationId, websiteId, key }: FlagName) =>
      `${organizationId}-flag-${websiteId ?? organizationId}.${key}`,
    events: lifecycle('Flag', [withFieldDefaults(ADDED_FIELD_DEFAULTS.flags)], [withFieldDefaults({})]),
    later: ADDED_FIELD_DEFAULTS.flags,
  }),
  goals: recordKind<GoalEvent, GoalDetails>()({
    ...typicalKind('Goal', 'goal', ACCESS.membersByWebsite),
    ...definedByWebsite('goals'),
  }),
  funnels: recordKind<FunnelEvent, FunnelDetails>()({
    ...typicalKind('Funnel', 'funnel', ACCESS.membersByWebsite),
    ...definedByWebsite('funnels'),
  }),
  segments: recordKind<SegmentEvent, SegmentDetails>()({
    ...typicalKind('Segment', 'seg', ACCESS.membersByWebsite),
    ...definedByWebsite('segments'),
  }),
  savedViews: recordKind<SavedViewEvent, SavedViewDetails>()({
    ...typicalKind('Saved view', 'view', ACCESS.membersByWebsite),
    ...definedByWebsite('saved-views'),
  }),
  tags: recordKind<TagEvent, TagDetails>()({
    ...typicalKind('Tag', 'tag', ACCESS.members),
    stream: streamOfOrganization('tags'),
    atMost: 500,
  }),
  annotations: recordKind<AnnotationEvent, AnnotationDetails>()({
    ...typicalKind('Annotation', 'note', ACCESS.membersByWebsite),
    atMost: 5_000,
    stream: streamById('annotation'),
  }),
  /** Its details hold the headers encrypted, as the events do. */
  monitors: recordKind<MonitorEvent, MonitorDetails>()({
    ...typicalKind('Monitor', 'mon', ACCESS.admins),
    stream: streamById('monitor'),
    events: lifecycle('Monitor', [withFieldDefaults(ADDED_FIELD_DEFAULTS.monitors)], [withFieldDefaults({})]),
    later: ADDED_FIELD_DEFAULTS.monitors,
  }),
  /** A stream has all status pages that ever had this slug. */
  statusPages: recordKind<StatusPageEvent, StatusPageDetails>()({
    ...typicalKind('Status page', 'status', ACCESS.admins),
    stream: ({ organizationId, slug }: StatusPageAddress) => `${organizationId}-statuspage-${slug}`,
    events: lifecycle('StatusPage', [withFieldDefaults(ADDED_FIELD_DEFAULTS.statusPages)], [withFieldDefaults({})]),
    later: ADDED_FIELD_DEFAULTS.statusPages,
  }),
  /** Incidents, also those of deleted pages. */
  incidents: recordKind<IncidentEvent, IncidentDetails>()({
    ...typicalKind('Incident', 'inc', ACCESS.admins),
    stream: streamById('incident'),
    events: lifecycle('Incident', [withFieldDefaults(ADDED_FIELD_DEFAULTS.incidents)]),
    later: ADDED_FIELD_DEFAULTS.incidents,
  }),
  /** Shares, also those of deleted websites. */
  shares: recordKind<ShareEvent, ShareDetails>()({
    ...typicalKind('Share', 'share', ACCESS.adminsByWebsite),
    stream: streamById('share'),
    events: {
      ShareCreated: { effect: 'creates' },
      ShareUpdated: { effect: 'updates', revokes: changed('filters', 'expiresAt', 'passwordHash') },
      ShareDeleted: { effect: 'deletes', revokes: true },
    },
  }),
  /** Its details hold address, headers and secrets encrypted, as the events do. */
  destinations: recordKind<DestinationEvent, DestinationDetails>()({
    ...typicalKind('Destination', 'dst', ACCESS.adminsThemselves),
    stream: streamOfOrganization('destinations'),
    events: {
      ...lifecycle('Destination', DESTINATION_UPCASTERS, DESTINATION_UPCASTERS),
      DestinationRotated: { effect: 'updates', upcasters: DESTINATION_UPCASTERS },
      DestinationConfirmed: { effect: 'updates' },
      DestinationUnsubscribed: { effect: 'updates' },
    },
    later: ADDED_FIELD_DEFAULTS.destinations,
    atMost: 100,
  }),
  alerts: recordKind<AlertEvent, AlertDetails>()({
    ...typicalKind('Alert', 'alr', ACCESS.alerts),
    stream: streamOfOrganization('alerts'),
    events: { ...lifecycle('Alert'), AlertPaused: { effect: 'updates' } },
    atMost: 100,
  }),
  reports: recordKind<ReportEvent, ReportDetails>()({
    ...typicalKind('Report', 'rpt', ACCESS.adminsAndTheirClients),
    stream: streamOfOrganization('reports'),
    atMost: 20,
  }),
  /** Disabled and revoked ones, too. */
  apiKeys: recordKind<ApiKeyEvent, ApiKeyDetails, OwnApiKeyFields>()({
    ...typicalKind('API key', 'key', ACCESS.adminsThemselves),
    id: 'keyId',
    stream: streamById('key'),
    events: {
      ApiKeyCreated: { effect: 'creates' },
      ApiKeyUpdated: {
        effect: 'updates',
        revokes: changed('enabled', 'scopes', 'resources', 'expiresAt', 'rateLimit'),
      },
      ApiKeyRotated: { effect: 'own', revokes: true },
      ApiKeyRevoked: { effect: 'own', revokes: true },
      ApiKeyDeleted: { effect: 'deletes', revokes: true },
    },
    own: ['secretId', 'start', 'enabled', 'revokedAt'],
    initial: { enabled: true, revokedAt: null },
    table: readModel(
      'api_keys',
      {
        ...idColumns,
        name: last('text'),
        ...detailsColumn,
        enabled: last('boolean'),
        start: last('text'),
        secret_id: last('text'),
        revoked_at: last('timestamptz?'),
        ...timeColumns,
      },
      [{ on: ['organization_id', 'created_at'] }],
    ),
  }),
  /** Grants that are not revoked. */
  oauthGrants: recordKind<OAuthGrantEvent, OAuthGrantDetails>()({
    name: 'oauth_grant',
    noun: 'Grant',
    access: null,
    id: 'grantId',
    prefix: 'grant',
    stream: streamById('grant'),
    events: {
      OAuthGrantCreated: { effect: 'creates' },
      OAuthGrantRevoked: { effect: 'deletes', revokes: true },
    },
    table: readModel('oauth_grants', { ...idColumns, user_id: last('text'), ...detailsColumn, ...timeColumns }, [
      { on: ['user_id'] },
    ]),
  }),
} satisfies Readonly<Record<string, AnyRecordKind>>;

/** The events about records, by type. */
export const RECORD_EVENTS: ReadonlyMap<string, RecordEventDeclaration<never>> = new Map(
  Object.values<AnyRecordKind>(RECORD_KINDS).flatMap(({ events }) => Object.entries(events)),
);

/** The types of which an event may revoke access. */
export const TYPES_THAT_REVOKE_ACCESS: readonly string[] = [...RECORD_EVENTS].flatMap(([type, { revokes }]) =>
  revokes ? [type] : [],
);

/**
 * Returns whether a key, a session, a member, a client or who has the address of a share may do less after an event
 * than before.
 */
export function revokesAccess({ type, data }: { readonly type: string; readonly data: object }): boolean {
  const { revokes = false } = RECORD_EVENTS.get(type) ?? {};
  return typeof revokes === 'boolean' ? revokes : revokes(data as never); // the rule of a type takes its data
}

export type RecordKinds = typeof RECORD_KINDS;
export type RecordKindName = keyof RecordKinds;
export type TypesOf<Kind extends RecordKindName> = NonNullable<RecordKinds[Kind]['types']>;
export type EventOf<Kind extends RecordKindName> = TypesOf<Kind>['events'];
export type DetailsOf<Kind extends RecordKindName> = TypesOf<Kind>['details'];
