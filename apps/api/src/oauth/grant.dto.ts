import type { OAuthGrant } from '@ledgerline/contracts/records';
import { GRANT_SCOPES, type GrantScope } from '@ledgerline/contracts/events/oauth-grant.events';
import { ApiProperty } from '@nestjs/swagger';
import { historyOf, RecordDto, type Plain } from '../http/record.dto';

export class GrantDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty({
    description: "The address of the client's metadata document",
    example: 'https://agent.example/client.json',
  })
  clientId: string;

  @ApiProperty({ description: 'What the client calls itself' })
  clientName: string;

  @ApiProperty({ enum: GRANT_SCOPES, isArray: true })
  scopes: readonly GrantScope[];

  @ApiProperty({ type: [String], nullable: true, description: 'null = the whole organization' })
  websiteIds: readonly string[] | null;
}

export const grantDto = (grant: OAuthGrant): Plain<GrantDto> => ({
  id: grant.id,
  organizationId: grant.organizationId,
  clientId: grant.clientId,
  clientName: grant.clientName,
  scopes: grant.scopes,
  websiteIds: grant.websiteIds,
  ...historyOf(grant),
});
