import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ROLES, type Role } from '@ledgerline/contracts/events/organization.events';
import type { Invitation, Member } from '@ledgerline/contracts/records';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { recordOf } from '../commands/resource';
import { EmailAddress, Text } from '../http/fields';
import { RecordDto, type PlainData } from '../http/record.dto';
import type { Person } from '../identity/accounts/people';

export class CreateOrganizationDto {
  @Text(1, 100, { description: 'Display name', example: 'Acme' })
  name: string;
}

/** The changes of an organization: what is left out stays as it is. */
export class UpdateOrganizationDto {
  @Text(1, 100, { description: 'Display name', example: 'Acme', optional: true })
  name?: string;
}

export class OrganizationDto extends RecordDto {
  @ApiProperty()
  name: string;

  @ApiProperty({ description: 'The person who has been an owner for longest' })
  ownerId: string;
}

export class ChangeMemberDto {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role: Role;
}

export class MemberDto {
  @ApiProperty({ description: 'Of the person', example: 'usr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' })
  id: string;

  @ApiProperty()
  organizationId: string;

  @ApiProperty({ enum: ROLES })
  role: Role;

  @ApiProperty({ type: String, nullable: true, description: 'Null for a person without an account' })
  name: string | null;

  @ApiProperty({ type: String, format: 'email', nullable: true, description: 'Null for a person without an account' })
  email: string | null;

  @ApiProperty({ format: 'date-time' })
  joinedAt: string;

  @ApiProperty({ type: 'integer', description: 'Of the organization; `If-Match` of a change of a member names it' })
  revision: number;
}

export type MemberEntry = Member & { readonly revision: number };

export function memberIn(registry: Registry, organizationId: string, userId: string): MemberEntry | undefined {
  const member = registry.member(organizationId, userId);
  const organization = registry.organization(organizationId);
  return member && organization && { ...member, revision: organization.revision };
}

export const memberDto = (
  { userId, organizationId, role, joinedAt, revision }: MemberEntry,
  person: Person | undefined,
): PlainData<MemberDto> => ({
  id: userId,
  organizationId,
  role,
  name: person?.name ?? null,
  email: person?.email ?? null,
  joinedAt: joinedAt.toISOString(),
  revision,
});

export class InviteMemberDto {
  @EmailAddress({
    description: 'Of the account that may accept; upper and lower case are the same',
    example: 'grace@example.com',
  })
  email: string;

  @ApiProperty({ enum: ROLES, description: 'At most the own role' })
  @IsIn(ROLES)
  role: Role;
}

export class InvitationDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  organizationName: string;

  @ApiProperty({ type: String, format: 'email', nullable: true, description: 'Null when it has been erased' })
  email: string | null;

  @ApiProperty({ enum: ROLES })
  role: Role;

  @ApiProperty({ description: 'The person who invited' })
  invitedBy: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  @ApiProperty({ format: 'uri', description: 'Accepts the invitation: `POST` by the invited person, signed in' })
  acceptUrl: string;
}

/** An invitation with what is not in its event. */
interface InvitationDetails {
  readonly organizationName: string;
  readonly email: string | null;
  readonly apiUrl: string;
}

export const invitationDto = (
  invitation: Invitation,
  { organizationName, email, apiUrl }: InvitationDetails,
): PlainData<InvitationDto> => ({
  ...recordOf(invitation),
  organizationName,
  email,
  acceptUrl: `${apiUrl}/v1/invitations/${invitation.id}/accept`,
});
