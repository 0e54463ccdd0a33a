import type { AnnotationDetails, FunnelDetails, GoalDetails, SegmentDetails } from './events/definition.events';
import type { ApiKeyDetails, OAuthGrantDetails } from './events/api-key.events';
import type { FlagDetails } from './events/flag.events';
import type { IncidentDetails, StatusPageDetails } from './events/status-page.events';
import type { LinkDetails } from './events/link.events';
import type { MonitorDetails } from './events/monitor.events';
import type { MemberInvited, OrganizationDetails, Role, WebsiteDetails } from './events/organization.events';
import type { ShareDetails } from './events/share.events';

/** What every record has. */
export interface RegistryRecord {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Of the record's stream. */
  readonly revision: number;
}

/** `ownerId` is the one who has been an owner for longest. */
export type Organization = RegistryRecord & OrganizationDetails & { readonly ownerId: string };
/** One that is neither accepted nor revoked; it may have expired. */
export type Invitation = RegistryRecord & Omit<MemberInvited['data'], 'invitationId'>;

export interface Member {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly joinedAt: Date;
  /** Revision of the organization at which they joined. */
  readonly joinedRevision: number;
  /** Revision of the organization since which they have this role. */
  readonly roleRevision: number;
}

export type Website = RegistryRecord & WebsiteDetails;
export type Link = RegistryRecord & LinkDetails & OwnLinkFields;
export type Flag = RegistryRecord & FlagDetails;
export type Goal = RegistryRecord & GoalDetails;
export type Funnel = RegistryRecord & FunnelDetails;
export type Segment = RegistryRecord & SegmentDetails;
export type Annotation = RegistryRecord & AnnotationDetails;
export type Monitor = RegistryRecord & MonitorDetails;
export type StatusPage = RegistryRecord & StatusPageDetails;
export type Incident = RegistryRecord & IncidentDetails;
export type Share = RegistryRecord & ShareDetails;
/** `secretId` is the only valid secret, unless the key is disabled, expired or revoked. */
export type ApiKey = RegistryRecord & ApiKeyDetails & OwnApiKeyFields;
/** One that is not revoked. */
export type OAuthGrant = RegistryRecord & OAuthGrantDetails;

interface OwnLinkFields {
  readonly createdBy: string;
}

interface OwnApiKeyFields {
  readonly secretId: string;
  readonly start: string;
  readonly enabled: boolean;
  readonly revokedAt: Date | null;
}

/** The records as their tables hold them: a column for each field, and one for all details. */
export interface StoredRecords {
  readonly organizations: RegistryRecord & OrganizationDetails & { readonly deletedAt: Date | null };
  readonly members: Member;
  readonly invitations: Omit<Invitation, 'expiresAt' | 'updatedAt'> & { readonly expiresAt: Date };
  readonly websites: Detailed<WebsiteDetails>;
  readonly links: Detailed<LinkDetails> & OwnLinkFields;
  readonly flags: Detailed<FlagDetails>;
  readonly goals: Detailed<GoalDetails>;
  readonly funnels: Detailed<FunnelDetails>;
  readonly segments: Detailed<SegmentDetails>;
  readonly annotations: Detailed<AnnotationDetails>;
  readonly monitors: Detailed<MonitorDetails>;
  readonly statusPages: Detailed<StatusPageDetails>;
  readonly incidents: Detailed<IncidentDetails>;
  readonly shares: Detailed<ShareDetails>;
  readonly apiKeys: Detailed<ApiKeyDetails> & OwnApiKeyFields;
  readonly oauthGrants: Detailed<OAuthGrantDetails>;
}

type Detailed<Fields> = RegistryRecord & Details<Fields>;

/** Everything that a registry holds; members and invitations in the order in which they came. */
export type RegistryState = {
  readonly [Kind in Exclude<keyof StoredRecords, 'links'>]: readonly StoredRecords[Kind][];
};

/** As a record is used: its details are fields like the others. */
export type WithDetails<Stored> = Omit<Stored, 'details'> & (Stored extends Details<infer Fields> ? Fields : unknown);

interface Details<Fields> {
  readonly details: Fields;
}

export function withDetails<Stored extends object>(stored: Stored): WithDetails<Stored> {
  const { details, ...own } = stored as Stored & Partial<Details<object>>;
  return { ...own, ...details } as WithDetails<Stored>;
}
