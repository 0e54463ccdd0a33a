import type { Invitation } from '@ledgerline/contracts/records';
import { ROLES, type Role } from '@ledgerline/contracts/events/organization.events';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { EmailAddress } from '../http/fields';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';

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
): Plain<InvitationDto> => ({
  ...recordOf(invitation),
  organizationName,
  email,
  acceptUrl: `${apiUrl}/v1/invitations/${invitation.id}/accept`,
});
