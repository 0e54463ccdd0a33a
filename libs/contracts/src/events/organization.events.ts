import type { BeforeValues, Event, LastValues } from './event';

/** The events of an organization and of its members: one stream, so that its last owner can be protected. */
export type OrganizationEvent =
  | OrganizationCreated
  | OrganizationUpdated
  | OrganizationDeleted
  | MemberInvited
  | InvitationRevoked
  | MemberAdded
  | MemberRoleChanged
  | MemberRemoved
  | MemberLeft;

export type OrganizationCreated = Event<
  'OrganizationCreated',
  OrganizationDetails & OfOrganization & { ownerId: string }
>;
type OrganizationUpdated = Event<
  'OrganizationUpdated',
  OrganizationDetails & OfOrganization & BeforeValues<OrganizationDetails>
>;
type OrganizationDeleted = Event<'OrganizationDeleted', OfOrganization & { name: string }>;

/** The address of the invited person is in the sealed part, under the id of the invitation. */
export type MemberInvited = Event<
  'MemberInvited',
  // the expiry is ISO 8601 UTC
  OfOrganization & { invitationId: string; role: Role; invitedBy: string; expiresAt: string }
>;
type InvitationRevoked = Event<'InvitationRevoked', OfOrganization & { invitationId: string; role: Role }>;
/** An invitation was accepted. */
type MemberAdded = Event<'MemberAdded', OfMember & { invitationId: string }>;
type MemberRoleChanged = Event<'MemberRoleChanged', OfMember & BeforeValues<{ role: Role }>>;
/** By another member. */
type MemberRemoved = Event<'MemberRemoved', OfMember>;
/** By their own decision. */
type MemberLeft = Event<'MemberLeft', OfMember>;

export interface OrganizationDetails {
  readonly name: string;
}

/** From the least to the most. */
export const ROLES = ['member', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

interface OfOrganization {
  readonly organizationId: string;
}

/** `role` is the one they have now, or had last. */
interface OfMember extends OfOrganization {
  readonly userId: string;
  readonly role: Role;
}

export type WebsiteEvent = WebsiteRegistered | WebsiteUpdated | WebsiteDeleted;

export type WebsiteRegistered = Event<'WebsiteRegistered', WebsiteDetails & { websiteId: string }>;
export type WebsiteUpdated = Event<
  'WebsiteUpdated',
  WebsiteDetails & { websiteId: string } & BeforeValues<WebsiteSettings>
>;
export type WebsiteDeleted = Event<
  'WebsiteDeleted',
  { websiteId: string; organizationId: string; name: string } & LastValues<WebsiteDetails>
>;

export interface WebsiteDetails extends WebsiteSettings {
  readonly organizationId: string;
  /** IANA name; days of the website's rollups are days of this zone. Fixed for ever. */
  readonly timezone: string;
}

/** The settings of a website that may change. */
interface WebsiteSettings {
  readonly name: string;
  /** Host name without scheme or port, lower case: `example.com`. */
  readonly domain: string;
  readonly isPublic: boolean;
  /** Further origins that may send hits, as host names; subdomains of `domain` always may. */
  readonly allowedOrigins: readonly string[];
  readonly visitorIdentity: VisitorIdentity;
  /** Days for which hits are kept; null = for ever. */
  readonly retentionDays: number | null;
}

/** The time for which one person keeps one visitor id. */
export type VisitorIdentity = 'daily' | 'monthly' | 'stable';
