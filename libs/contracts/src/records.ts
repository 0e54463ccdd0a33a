import type { MemberInvited, OrganizationDetails, Role } from './events/organization.events';
import type { DetailsOf, EventOf, RecordKindName, RecordKinds, TypesOf } from './record-kinds';

/** The fields of every record. */
export interface RegistryRecord {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The revision of the record's stream. */
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

/** The types of the events whose effect is their own. */
export type OwnEventTypeOf<Kind extends RecordKindName> = {
  [Type in EventOf<Kind>['type']]: RecordKinds[Kind]['events'] extends Record<Type, { effect: 'own' }> ? Type : never;
}[EventOf<Kind>['type']];

type OwnFieldsOf<Kind extends RecordKindName> = TypesOf<Kind>['own'];

/** A record of a kind. */
export type RecordOf<Kind extends keyof RecordKinds> = RegistryRecord & DetailsOf<Kind> & OwnFieldsOf<Kind>;

export type Website = RecordOf<'websites'>;
export type Link = RecordOf<'links'>;
export type Flag = RecordOf<'flags'>;
export type Monitor = RecordOf<'monitors'>;
export type Destination = RecordOf<'destinations'>;
export type Alert = RecordOf<'alerts'>;
export type Report = RecordOf<'reports'>;
export type StatusPage = RecordOf<'statusPages'>;
export type Incident = RecordOf<'incidents'>;
export type Share = RecordOf<'shares'>;
/** `secretId` is the only valid secret, unless the key is disabled, expired or revoked. */
export type ApiKey = RecordOf<'apiKeys'>;
/** One that is not revoked. */
export type OAuthGrant = RecordOf<'oauthGrants'>;

/** The records as their tables hold them: a column for each field, and one for all details. */
export type StoredRecords = {
  readonly organizations: RegistryRecord & OrganizationDetails & { readonly deletedAt: Date | null };
  readonly members: Member;
  readonly invitations: Omit<Invitation, 'expiresAt' | 'updatedAt'> & { readonly expiresAt: Date };
} & {
  readonly [Kind in Exclude<keyof RecordKinds, 'organizations'>]: RegistryRecord &
    Details<DetailsOf<Kind>> &
    OwnFieldsOf<Kind>;
};

/** Everything that a registry holds; members and invitations in the order in which they came. */
export type RegistryState = {
  readonly [Kind in Exclude<keyof StoredRecords, 'links'>]: readonly StoredRecords[Kind][];
};

/** As a record is used: its details are fields like the others. */
export type WithDetails<Stored> = Omit<Stored, 'details'> & (Stored extends Details<infer Fields> ? Fields : unknown);

export interface Details<Fields> {
  readonly details: Fields;
}
