import type { ErasedInvitation, ErasedPerson, ErasedProfile } from '@ledgerline/contracts/events/audit-log.events';
import { clientLabel } from '../access/caller';

export const AUDIT_TARGET_TYPES = [
  'organization',
  'member',
  'invitation',
  'website',
  'link',
  'flag',
  'goal',
  'funnel',
  'segment',
  'annotation',
  'monitor',
  'status_page',
  'incident',
  'share',
  'api_key',
  'oauth_grant',
  'audit_log',
  'person',
  'profile',
  'unknown',
] as const;
export type AuditTargetType = (typeof AUDIT_TARGET_TYPES)[number];

/** What an entry of the audit log is about; the name as it was then, null where the event has none. */
export interface AuditTarget {
  readonly type: AuditTargetType;
  readonly id: string | null;
  readonly name: string | null;
}

/** What an event is about, by its data. */
export const AUDIT_TARGETS = {
  organization: (data: { organizationId: string; name: string }) =>
    ({ type: 'organization', id: data.organizationId, name: data.name }) as const,
  /** The name of a person is in no event. */
  member: (data: { userId: string }) => ({ type: 'member', id: data.userId }) as const,
  invitation: (data: { invitationId: string }) => ({ type: 'invitation', id: data.invitationId }) as const,
  website: (data: { websiteId: string; name: string }) =>
    ({ type: 'website', id: data.websiteId, name: data.name }) as const,
  link: (data: { linkId: string; name: string }) => ({ type: 'link', id: data.linkId, name: data.name }) as const,
  flag: (data: { flagId: string; name: string }) => ({ type: 'flag', id: data.flagId, name: data.name }) as const,
  goal: (data: { goalId: string; name: string }) => ({ type: 'goal', id: data.goalId, name: data.name }) as const,
  funnel: (data: { funnelId: string; name: string }) =>
    ({ type: 'funnel', id: data.funnelId, name: data.name }) as const,
  segment: (data: { segmentId: string; name: string }) =>
    ({ type: 'segment', id: data.segmentId, name: data.name }) as const,
  annotation: (data: { annotationId: string; text: string }) =>
    ({ type: 'annotation', id: data.annotationId, name: data.text }) as const,
  monitor: (data: { monitorId: string; name: string }) =>
    ({ type: 'monitor', id: data.monitorId, name: data.name }) as const,
  statusPage: (data: { statusPageId: string; name: string }) =>
    ({ type: 'status_page', id: data.statusPageId, name: data.name }) as const,
  incident: (data: { incidentId: string; title: string }) =>
    ({ type: 'incident', id: data.incidentId, name: data.title }) as const,
  share: (data: { shareId: string; name: string }) => ({ type: 'share', id: data.shareId, name: data.name }) as const,
  apiKey: (data: { keyId: string; name: string }) => ({ type: 'api_key', id: data.keyId, name: data.name }) as const,
  oauthGrant: (data: { grantId: string; clientId: string; clientName: string }) =>
    ({ type: 'oauth_grant', id: data.grantId, name: clientLabel(data) }) as const,
  erased: (subject: Partial<ErasedPerson & ErasedInvitation & ErasedProfile> | null | undefined) => {
    if (subject?.userId !== undefined) return { type: 'person', id: subject.userId } as const;
    if (subject?.invitationId !== undefined) return { type: 'invitation', id: subject.invitationId } as const;
    return { type: 'profile', id: subject?.profile } as const;
  },
};

/** An event, or what fields held before it, as people may see it. */
type Shown = <Details extends object>(details: Details) => Details;

/** That an encrypted or hashed field changed, not its text: values of rules may name people, and headers may be credentials. */
const withoutSealed =
  (field: 'ruleValues' | 'sealedHeaders' | 'passwordHash'): Shown =>
  (details) =>
    typeof details === 'object' && typeof (details as Record<string, unknown> | null)?.[field] === 'string'
      ? { ...details, [field]: 'encrypted' }
      : details;

export const withoutValues = withoutSealed('ruleValues');

export const withoutHeaders = withoutSealed('sealedHeaders');

export const withoutHash = withoutSealed('passwordHash');

/** The same of a change and of what was before it. */
export const changed =
  (shown: Shown) =>
  <Data extends { readonly before: object }>(data: Data): Data => ({ ...shown(data), before: shown(data.before) });
