import type { DecidedEvent } from './event-versions';

const RIGHTS: readonly string[] = ['enabled', 'scopes', 'resources', 'expiresAt', 'rateLimit'];

/** Of whoever has the address of a share. */
const RIGHTS_OF_VIEWERS: readonly string[] = ['filters', 'expiresAt', 'passwordHash'];

type Rule<Type extends DecidedEvent['type']> =
  | boolean
  | ((data: Extract<DecidedEvent, { readonly type: Type }>['data']) => boolean);

/** Whether a key, a session, a member, a client or who has the address of a share may do less after an event of the type than before. */
const RULES: { readonly [Type in DecidedEvent['type']]: Rule<Type> } = {
  OrganizationCreated: false,
  OrganizationUpdated: false,
  OrganizationDeleted: true,
  MemberInvited: false,
  InvitationRevoked: false,
  MemberAdded: false,
  MemberRoleChanged: true,
  MemberRemoved: true,
  MemberLeft: true,
  WebsiteRegistered: false,
  WebsiteUpdated: false,
  WebsiteDeleted: true,
  SlugReserved: false,
  LinkCreated: false,
  LinkUpdated: false,
  LinkDeleted: false,
  FlagCreated: false,
  FlagUpdated: false,
  FlagDeleted: false,
  GoalCreated: false,
  GoalUpdated: false,
  GoalDeleted: false,
  FunnelCreated: false,
  FunnelUpdated: false,
  FunnelDeleted: false,
  SegmentCreated: false,
  SegmentUpdated: false,
  SegmentDeleted: false,
  AnnotationCreated: false,
  AnnotationUpdated: false,
  AnnotationDeleted: false,
  MonitorCreated: false,
  MonitorUpdated: false,
  MonitorDeleted: false,
  StatusPageCreated: false,
  StatusPageUpdated: false,
  StatusPageDeleted: false,
  StatusSlugReserved: false,
  IncidentCreated: false,
  IncidentUpdated: false,
  IncidentDeleted: false,
  ShareCreated: false,
  ShareUpdated: ({ before }) => Object.keys(before).some((field) => RIGHTS_OF_VIEWERS.includes(field)),
  ShareDeleted: true,
  ApiKeyCreated: false,
  ApiKeyUpdated: ({ before }) => Object.keys(before).some((field) => RIGHTS.includes(field)),
  ApiKeyRotated: true,
  ApiKeyRevoked: true,
  ApiKeyDeleted: true,
  OAuthGrantCreated: false,
  OAuthGrantRevoked: true,
  AuditLogExported: false,
  AuditLogResealed: false,
  RebuildAccepted: false,
  SubjectErased: false,
};

/** The types of which an event may revoke access. */
export const TYPES_THAT_REVOKE_ACCESS: readonly string[] = Object.entries(RULES).flatMap(([type, rule]) =>
  rule === false ? [] : [type],
);

export function revokesAccess({ type, data }: { readonly type: string; readonly data: object }): boolean {
  const rule = Object.hasOwn(RULES, type) ? RULES[type as DecidedEvent['type']] : false;
  return typeof rule === 'boolean' ? rule : (rule as (data: object) => boolean)(data); // the rule of a type takes its data
}
