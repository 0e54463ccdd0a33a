import type { DecidedEvent } from '@ledgerline/contracts/events/event-versions';
import { changesOf, omit } from '../decider';
import {
  AUDIT_TARGETS,
  type AuditTarget,
  type AuditTargetType,
  changed,
  withoutHash,
  withoutHeaders,
  withoutValues,
} from './audit-target';

export type AuditChanges = ReturnType<typeof changesOf>;

/** What the audit log shows of an event. */
interface AuditedEvent {
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly changes: AuditChanges;
}

interface Row<Data> {
  readonly action: `${string}.${string}`;
  readonly target: (data: Data) => Readonly<{ type: AuditTargetType; id: string | undefined; name?: string }>;
  /** Fields that did not exist before. */
  readonly gives?: (data: Data) => object;
  /** Fields that do not exist any more. */
  readonly takes?: (data: Data) => object;
  /** The event as people may see it; by default all of it. */
  readonly shown?: (data: Data) => Data;
}

const role = ({ role }: { role: string }) => ({ role });

/** One row per type of event in an organization's history; a type without its row does not compile. */
const AUDITED = {
  OrganizationCreated: {
    action: 'organization.created',
    target: AUDIT_TARGETS.organization,
    gives: (data) => omit(data, 'organizationId'),
  },
  OrganizationUpdated: { action: 'organization.updated', target: AUDIT_TARGETS.organization },
  OrganizationDeleted: {
    action: 'organization.deleted',
    target: AUDIT_TARGETS.organization,
    takes: ({ name }) => ({ name }),
  },
  MemberInvited: {
    action: 'member.invited',
    target: AUDIT_TARGETS.invitation,
    gives: ({ role, expiresAt }) => ({ role, expiresAt }),
  },
  InvitationRevoked: { action: 'member.invitation_revoked', target: AUDIT_TARGETS.invitation, takes: role },
  MemberAdded: { action: 'member.joined', target: AUDIT_TARGETS.member, gives: role },
  MemberRoleChanged: { action: 'member.role_changed', target: AUDIT_TARGETS.member },
  MemberRemoved: { action: 'member.removed', target: AUDIT_TARGETS.member, takes: role },
  MemberLeft: { action: 'member.left', target: AUDIT_TARGETS.member, takes: role },
  WebsiteRegistered: {
    action: 'website.created',
    target: AUDIT_TARGETS.website,
    gives: (data) => omit(data, 'websiteId', 'organizationId'),
  },
  WebsiteUpdated: { action: 'website.updated', target: AUDIT_TARGETS.website },
  WebsiteDeleted: {
    action: 'website.deleted',
    target: AUDIT_TARGETS.website,
    takes: (data) => omit(data, 'websiteId', 'organizationId'),
  },
  LinkCreated: {
    action: 'link.created',
    target: AUDIT_TARGETS.link,
    gives: (data) => omit(data, 'linkId', 'organizationId', 'createdBy'),
  },
  LinkUpdated: { action: 'link.updated', target: AUDIT_TARGETS.link },
  LinkDeleted: {
    action: 'link.deleted',
    target: AUDIT_TARGETS.link,
    takes: (data) => omit(data, 'linkId', 'organizationId'),
  },
  FlagCreated: {
    action: 'flag.created',
    target: AUDIT_TARGETS.flag,
    shown: withoutValues,
    gives: (data) => omit(data, 'flagId', 'organizationId'),
  },
  FlagUpdated: { action: 'flag.updated', target: AUDIT_TARGETS.flag, shown: changed(withoutValues) },
  FlagDeleted: {
    action: 'flag.deleted',
    target: AUDIT_TARGETS.flag,
    takes: (data) => omit(data, 'flagId', 'organizationId'),
  },
  GoalCreated: {
    action: 'goal.created',
    target: AUDIT_TARGETS.goal,
    gives: (data) => omit(data, 'goalId', 'organizationId'),
  },
  GoalUpdated: { action: 'goal.updated', target: AUDIT_TARGETS.goal },
  GoalDeleted: {
    action: 'goal.deleted',
    target: AUDIT_TARGETS.goal,
    takes: (data) => omit(data, 'goalId', 'organizationId'),
  },
  FunnelCreated: {
    action: 'funnel.created',
    target: AUDIT_TARGETS.funnel,
    gives: (data) => omit(data, 'funnelId', 'organizationId'),
  },
  FunnelUpdated: { action: 'funnel.updated', target: AUDIT_TARGETS.funnel },
  FunnelDeleted: {
    action: 'funnel.deleted',
    target: AUDIT_TARGETS.funnel,
    takes: (data) => omit(data, 'funnelId', 'organizationId'),
  },
  SegmentCreated: {
    action: 'segment.created',
    target: AUDIT_TARGETS.segment,
    gives: (data) => omit(data, 'segmentId', 'organizationId'),
  },
  SegmentUpdated: { action: 'segment.updated', target: AUDIT_TARGETS.segment },
  SegmentDeleted: {
    action: 'segment.deleted',
    target: AUDIT_TARGETS.segment,
    takes: (data) => omit(data, 'segmentId', 'organizationId'),
  },
  AnnotationCreated: {
    action: 'annotation.created',
    target: AUDIT_TARGETS.annotation,
    gives: (data) => omit(data, 'annotationId', 'organizationId'),
  },
  AnnotationUpdated: { action: 'annotation.updated', target: AUDIT_TARGETS.annotation },
  AnnotationDeleted: {
    action: 'annotation.deleted',
    target: AUDIT_TARGETS.annotation,
    takes: (data) => omit(data, 'annotationId', 'organizationId'),
  },
  MonitorCreated: {
    action: 'monitor.created',
    target: AUDIT_TARGETS.monitor,
    shown: withoutHeaders,
    gives: (data) => omit(data, 'monitorId', 'organizationId'),
  },
  MonitorUpdated: { action: 'monitor.updated', target: AUDIT_TARGETS.monitor, shown: changed(withoutHeaders) },
  MonitorDeleted: {
    action: 'monitor.deleted',
    target: AUDIT_TARGETS.monitor,
    takes: (data) => omit(data, 'monitorId', 'organizationId'),
  },
  StatusPageCreated: {
    action: 'status_page.created',
    target: AUDIT_TARGETS.statusPage,
    gives: (data) => omit(data, 'statusPageId', 'organizationId'),
  },
  StatusPageUpdated: { action: 'status_page.updated', target: AUDIT_TARGETS.statusPage },
  StatusPageDeleted: {
    action: 'status_page.deleted',
    target: AUDIT_TARGETS.statusPage,
    takes: (data) => omit(data, 'statusPageId', 'organizationId'),
  },
  IncidentCreated: {
    action: 'incident.created',
    target: AUDIT_TARGETS.incident,
    gives: (data) => omit(data, 'incidentId', 'organizationId'),
  },
  IncidentUpdated: { action: 'incident.updated', target: AUDIT_TARGETS.incident },
  IncidentDeleted: { action: 'incident.deleted', target: AUDIT_TARGETS.incident, takes: ({ title }) => ({ title }) },
  ShareCreated: {
    action: 'share.created',
    target: AUDIT_TARGETS.share,
    shown: withoutHash,
    gives: (data) => omit(data, 'shareId', 'organizationId'),
  },
  ShareUpdated: { action: 'share.updated', target: AUDIT_TARGETS.share, shown: changed(withoutHash) },
  ShareDeleted: {
    action: 'share.deleted',
    target: AUDIT_TARGETS.share,
    takes: (data) => omit(data, 'shareId', 'organizationId'),
  },
  ApiKeyCreated: {
    action: 'api_key.created',
    target: AUDIT_TARGETS.apiKey,
    gives: (data) => omit(data, 'keyId', 'organizationId', 'secretId'),
  },
  ApiKeyUpdated: { action: 'api_key.updated', target: AUDIT_TARGETS.apiKey },
  ApiKeyRotated: { action: 'api_key.rotated', target: AUDIT_TARGETS.apiKey },
  ApiKeyRevoked: { action: 'api_key.revoked', target: AUDIT_TARGETS.apiKey },
  ApiKeyDeleted: {
    action: 'api_key.deleted',
    target: AUDIT_TARGETS.apiKey,
    takes: (data) => omit(data, 'keyId', 'organizationId'),
  },
  OAuthGrantCreated: {
    action: 'oauth_grant.created',
    target: AUDIT_TARGETS.oauthGrant,
    gives: ({ websiteIds, ...data }) => ({
      ...omit(data, 'grantId', 'organizationId', 'clientName'),
      websiteIds: websiteIds ?? 'all',
    }),
  },
  OAuthGrantRevoked: {
    action: 'oauth_grant.revoked',
    target: AUDIT_TARGETS.oauthGrant,
    takes: ({ userId, clientId }) => ({ userId, clientId }),
    gives: ({ reason }) => ({ reason }),
  },
  AuditLogExported: {
    action: 'audit_log.exported',
    target: ({ organizationId }) => ({ type: 'audit_log', id: organizationId }),
    gives: ({ format, filter }) => ({ format, filter }),
  },
  AuditLogResealed: {
    action: 'audit_log.resealed',
    target: ({ organizationId }) => ({ type: 'audit_log', id: organizationId }),
    takes: ({ lost }) => ({ head: lost }),
    gives: ({ reason }) => ({ reason }),
  },
  RebuildAccepted: {
    action: 'read_models.replaced',
    target: ({ organizationId }) => ({ type: 'organization', id: organizationId }),
    gives: ({ group, tables }) => ({ group, tables }),
  },
  SubjectErased: {
    action: 'subject.erased',
    target: ({ subject }) => AUDIT_TARGETS.erased(subject),
    takes: ({ destroyedKeyIds }) => ({ destroyedKeyIds }),
  },
} as const satisfies { readonly [Type in AuditedType]: Row<Extract<DecidedEvent, { type: Type }>['data']> };

/** A slug is reserved outside of every organization. */
type AuditedType = Exclude<DecidedEvent['type'], 'SlugReserved' | 'StatusSlugReserved'>;

/** An event that this version does not know, or that something else has written and that does not say what it is about. */
const UNKNOWN = 'unknown';

export type AuditAction = (typeof AUDITED)[AuditedType]['action'] | typeof UNKNOWN;

export const AUDIT_ACTIONS: readonly AuditAction[] = [...Object.values(AUDITED).map(({ action }) => action), UNKNOWN];

/** Takes any event, as a store may hold what other clients have appended to it. */
export function auditedEvent(event: {
  readonly type: string;
  readonly data: unknown;
  readonly stream: string;
}): AuditedEvent {
  const { type, stream } = event;
  const recorded = isObject(event.data) ? event.data : {};
  const row = Object.hasOwn(AUDITED, type) ? (AUDITED[type as AuditedType] as Row<object>) : undefined;
  const data = row?.shown?.(recorded) ?? recorded;
  const target = row?.target(data);
  const id = textOf(target?.id);
  if (!row || !target || id === null)
    return { action: UNKNOWN, target: { type: 'unknown', id: stream, name: null }, changes: {} };
  return {
    action: row.action as AuditAction,
    target: { type: target.type, id, name: textOf(target.name) },
    changes: {
      ...valuesOf(row.gives?.(data), (after) => ({ before: null, after })),
      ...valuesOf(row.takes?.(data), (before) => ({ before, after: null })),
      ...changesOf(data),
    },
  };
}

function valuesOf(fields: object = {}, change: (value: unknown) => AuditChanges[string]): AuditChanges {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, change(value)]));
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
