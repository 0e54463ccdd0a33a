import type { Organization } from '@ledgerline/domain/directory/directory';
import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../http/fields';
import type { Plain } from '../http/plain';

export class CreateOrganizationDto {
  @Text(1, 100, { description: 'Display name', example: 'Acme' })
  name: string;
}

export class OrganizationDto {
  @ApiProperty({ example: 'org_01J9ZQ6W3M8T2V4X5Y7A8B9C0D' })
  id: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ description: 'The person who owns it' })
  ownerId: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;

  @ApiProperty({ description: 'Counts its changes' })
  revision: number;
}

export const organizationDto = ({
  id,
  name,
  ownerId,
  createdAt,
  updatedAt,
  revision,
}: Organization): Plain<OrganizationDto> => ({
  id,
  name,
  ownerId,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  revision,
});
