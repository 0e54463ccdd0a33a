import type { OAuthGrant } from '@ledgerline/contracts/records';
import { GRANT_SCOPES, type GrantScope } from '@ledgerline/contracts/events/oauth-grant.events';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Controller, Delete, Get, Param } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { CommandBus } from '@nestjs/cqrs';
import { ApiList, historyOf, listOf, RecordDto, type List, type Plain } from '../http/record.dto';
import { Context, Deletes, type CommandContext, type CommandResult } from '../commands/command-context';
import { CurrentCaller, Requires } from '../http/route';
import { ManagedGrants } from './managed-grants';
import { RevokeGrant } from './grant.commands';

class GrantDto extends RecordDto {
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

const grantDto = (grant: OAuthGrant): Plain<GrantDto> => ({
  id: grant.id,
  organizationId: grant.organizationId,
  clientId: grant.clientId,
  clientName: grant.clientName,
  scopes: grant.scopes,
  websiteIds: grant.websiteIds,
  ...historyOf(grant),
});

/** The clients that a person lets act for them. */
@ApiTags('OAuth')
@Controller('v1/oauth/grants')
@Requires('person')
export class GrantsController {
  constructor(
    private readonly grants: ManagedGrants,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The own grants that are not revoked, newest first' })
  @ApiList(GrantDto)
  list(@CurrentCaller() caller: Caller): List<Plain<GrantDto>> {
    return listOf(this.grants.of(caller).map(grantDto));
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Revoke an own grant; answered when no process accepts its tokens' })
  @Deletes()
  async revoke(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<null>> {
    const grant = await this.grants.find(id, context.caller);
    return this.commands.execute(new RevokeGrant(grant, 'person', context));
  }
}
