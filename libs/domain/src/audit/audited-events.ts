import type { DecidedEvent } from '@ledgerline/contracts/events/decided-events';
import type { ErasedInvitation, ErasedPerson, ErasedProfile } from '@ledgerline/contracts/events/erasure.events';
import { clientLabel } from '../access/grant-caller';
import { changesOf, omit } from '../changes';

/** What an entry of the audit log is about; the name as it was then, null where the event has none. */
export interface AuditTarget {
  readonly type: AuditTargetType;
  readonly id: string | null;
  readonly name: string | null;
}

export type AuditChanges = ReturnType<typeof changesOf>;

/** What the audit log shows of an event. */
interface AuditedEvent {
  readonly action: AuditAction;
  readonly target: AuditTarget;
  readonly changes: AuditChanges;
}

export const AUDIT_TARGET_TYPES = [
  'organization',
  'member',
  'invitation',
  'website',
  'link',
  'flag',
  'monitor',
  'status_page',
  'incident',
  'api_key',
  'oauth_grant',
  'audit_log',
  'person',
  'profile',
  'unknown',
] as const;
export type AuditTargetType = (typeof AUDIT_TARGET_TYPES)[number];

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

const organization = (data: { organizationId: string; name: string }) =>
  ({ type: 'organization', id: data.organizationId, name: data.name }) as const;
/** The name of a person is in no event. */
const member = (data: { userId: string }) => ({ type: 'member', id: data.userId }) as const;
const invitation = (data: { invitationId: string }) => ({ type: 'invitation', id: data.invitationId }) as const;
const website = (data: { websiteId: string; name: string }) =>
  ({ type: 'website', id: data.websiteId, name: data.name }) as const;
const link = (data: { linkId: string; name: string }) => ({ type: 'link', id: data.linkId, name: data.name }) as const;
const flag = (data: { flagId: string; name: string }) => ({ type: 'flag', id: data.flagId, name: data.name }) as const;
const monitor = (data: { monitorId: string; name: string }) =>
  ({ type: 'monitor', id: data.monitorId, name: data.name }) as const;
const statusPage = (data: { statusPageId: string; name: string }) =>
  ({ type: 'status_page', id: data.statusPageId, name: data.name }) as const;
const incident = (data: { incidentId: string; title: string }) =>
  ({ type: 'incident', id: data.incidentId, name: data.title }) as const;
const apiKey = (data: { keyId: string; name: string }) =>
  ({ type: 'api_key', id: data.keyId, name: data.name }) as const;
const oauthGrant = (data: { grantId: string; clientId: string; clientName: string }) =>
  ({ type: 'oauth_grant', id: data.grantId, name: clientLabel(data) }) as const;
const erased = (subject: Partial<ErasedPerson & ErasedInvitation & ErasedProfile> | null | undefined) => {
  if (subject?.userId !== undefined) return { type: 'person', id: subject.userId } as const;
  if (subject?.invitationId !== undefined) return { type: 'invitation', id: subject.invitationId } as const;
  return { type: 'profile', id: subject?.profile } as const;
};
/** That an encrypted field changed, not its text: values of rules may name people, and headers may be credentials. */
const withoutSealed =
  (field: 'ruleValues' | 'sealedHeaders') =>
  <Details extends object>(details: Details): Details =>
    isObject(details) && typeof (details as Record<string, unknown>)[field] === 'string'
      ? { ...details, [field]: 'encrypted' }
      : details;
const withoutValues = withoutSealed('ruleValues');
const withoutHeaders = withoutSealed('sealedHeaders');
const role = ({ role }: { role: string }) => ({ role });

/** One row per type of event in an organization's history; a type without its row does not compile. */
const AUDITED = {
  OrganizationCreated: {
    action: 'organization.created',
    target: organization,
    gives: (data) => omit(data, 'organizationId'),
  },
  OrganizationUpdated: { action: 'organization.updated', target: organization },
  OrganizationDeleted: { action: 'organization.deleted', target: organization, takes: ({ name }) => ({ name }) },
  MemberInvited: {
    action: 'member.invited',
    target: invitation,
    gives: ({ role, expiresAt }) => ({ role, expiresAt }),
  },
  InvitationRevoked: { action: 'member.invitation_revoked', target: invitation, takes: role },
  MemberAdded: { action: 'member.joined', target: member, gives: role },
  MemberRoleChanged: { action: 'member.role_changed', target: member },
  MemberRemoved: { action: 'member.removed', target: member, takes: role },
  MemberLeft: { action: 'member.left', target: member, takes: role },
  WebsiteRegistered: {
    action: 'website.created',
    target: website,
    gives: (data) => omit(data, 'websiteId', 'organizationId'),
  },
  WebsiteUpdated: { action: 'website.updated', target: website },
  WebsiteDeleted: {
    action: 'website.deleted',
    target: website,
    takes: (data) => omit(data, 'websiteId', 'organizationId'),
  },
  LinkCreated: {
    action: 'link.created',
    target: link,
    gives: (data) => omit(data, 'linkId', 'organizationId', 'createdBy'),
  },
  LinkUpdated: { action: 'link.updated', target: link },
  LinkDeleted: { action: 'link.deleted', target: link, takes: (data) => omit(data, 'linkId', 'organizationId') },
  FlagCreated: {
    action: 'flag.created',
    target: flag,
    shown: withoutValues,
    gives: (data) => omit(data, 'flagId', 'organizationId'),
  },
  FlagUpdated: {
    action: 'flag.updated',
    target: flag,
    shown: (data) => ({ ...withoutValues(data), before: withoutValues(data.before) }),
  },
  FlagDeleted: {
    action: 'flag.deleted',
    target: flag,
    takes: (data) => omit(data, 'flagId', 'organizationId'),
  },
  MonitorCreated: {
    action: 'monitor.created',
    target: monitor,
    shown: withoutHeaders,
    gives: (data) => omit(data, 'monitorId', 'organizationId'),
  },
  MonitorUpdated: {
    action: 'monitor.updated',
    target: monitor,
    shown: (data) => ({ ...withoutHeaders(data), before: withoutHeaders(data.before) }),
  },
  MonitorDeleted: {
    action: 'monitor.deleted',
    target: monitor,
    takes: (data) => omit(data, 'monitorId', 'organizationId'),
  },
  StatusPageCreated: {
    action: 'status_page.created',
    target: statusPage,
    gives: (data) => omit(data, 'statusPageId', 'organizationId'),
  },
  StatusPageUpdated: { action: 'status_page.updated', target: statusPage },
  StatusPageDeleted: {
    action: 'status_page.deleted',
    target: statusPage,
    takes: (data) => omit(data, 'statusPageId', 'organizationId'),
  },
  IncidentCreated: {
    action: 'incident.created',
    target: incident,
    gives: (data) => omit(data, 'incidentId', 'organizationId'),
  },
  IncidentUpdated: { action: 'incident.updated', target: incident },
  IncidentDeleted: { action: 'incident.deleted', target: incident, takes: ({ title }) => ({ title }) },
  ApiKeyCreated: {
    action: 'api_key.created',
    target: apiKey,
    gives: (data) => omit(data, 'keyId', 'organizationId', 'secretId'),
  },
  ApiKeyUpdated: { action: 'api_key.updated', target: apiKey },
  ApiKeyRotated: { action: 'api_key.rotated', target: apiKey },
  ApiKeyRevoked: { action: 'api_key.revoked', target: apiKey },
  ApiKeyDeleted: {
    action: 'api_key.deleted',
    target: apiKey,
    takes: (data) => omit(data, 'keyId', 'organizationId'),
  },
  OAuthGrantCreated: {
    action: 'oauth_grant.created',
    target: oauthGrant,
    gives: ({ websiteIds, ...data }) => ({
      ...omit(data, 'grantId', 'organizationId', 'clientName'),
      websiteIds: websiteIds ?? 'all',
    }),
  },
  OAuthGrantRevoked: {
    action: 'oauth_grant.revoked',
    target: oauthGrant,
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
    target: ({ subject }) => erased(subject),
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
