import type { ApiKeyDetails } from './events/api-key.events';
import type { FlagDetails } from './events/flag.events';
import type { LinkDetails } from './events/link.events';
import type { OAuthGrantDetails } from './events/oauth-grant.events';
import type { MemberInvited, OrganizationDetails, Role } from './events/organization.events';
import type { WebsiteDetails } from './events/website.events';

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
export type Link = RegistryRecord & LinkDetails & { readonly createdBy: string };
export type Flag = RegistryRecord & FlagDetails;
/** `secretId` is the only valid secret, unless the key is disabled, expired or revoked. */
export type ApiKey = RegistryRecord &
  ApiKeyDetails & {
    readonly secretId: string;
    readonly start: string;
    readonly enabled: boolean;
    readonly revokedAt: Date | null;
  };

/** One that is not revoked. */
export type OAuthGrant = RegistryRecord & OAuthGrantDetails;

/** Everything that a registry holds. */
export interface RegistryState {
  readonly organizations: readonly Omit<Organization, 'ownerId'>[];
  readonly deletedOrganizations: readonly string[];
  /** In the order in which they joined. */
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
  readonly websites: readonly Website[];
  readonly flags: readonly Flag[];
  readonly keys: readonly ApiKey[];
  readonly grants: readonly OAuthGrant[];
}
