import { Controller, Delete, Get, Param } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, type CommandContext } from '../commands/command-context';
import { Deletes, type CommandResult } from '../commands/command-result';
import { ApiList, type List, listOf } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { grantDto, GrantDto } from './grant.dto';
import { ManagedGrants } from './managed-grants';
import { RevokeGrant } from './revoke-grant.command';

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
