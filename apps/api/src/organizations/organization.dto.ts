import type { Organization } from '@ledgerline/contracts/records';
import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../http/fields';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';

export class CreateOrganizationDto {
  @Text(1, 100, { description: 'Display name', example: 'Acme' })
  name: string;
}

/** What is left out stays as it is. */
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

export const organizationDto = (organization: Organization): Plain<OrganizationDto> => recordOf(organization);
