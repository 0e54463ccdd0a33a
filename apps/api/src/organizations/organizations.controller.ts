import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../http/route';
import { deleted, Context, Deletes, type CommandContext, type CommandResult } from '../commands/command-context';
import { sent } from '../http/fields';
import { ApiList, listOf, type List, type Plain } from '../http/record.dto';
import { ChangeOrganization, CreateOrganization } from './organization.commands';
import { ManagedOrganizations } from './managed-organizations';
import { CreateOrganizationDto, OrganizationDto, organizationDto, UpdateOrganizationDto } from './organization.dto';

@ApiTags('Organizations')
@Controller('v1/organizations')
@Requires('person')
export class OrganizationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: ManagedOrganizations,
    private readonly registry: Registry,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an organization with the caller as its owner' })
  @ApiCreatedResponse({ type: OrganizationDto })
  async create(
    @Body() body: CreateOrganizationDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<OrganizationDto>>> {
    const written = await this.commands.execute(new CreateOrganization({ name: body.name }, context));
    return written.as(organizationDto);
  }

  @Get()
  @ApiOperation({ summary: 'The organizations of the caller' })
  @ApiList(OrganizationDto)
  list(@CurrentCaller() caller: Caller): List<Plain<OrganizationDto>> {
    const ids = caller.kind === 'user' ? [...caller.roles.keys()] : [];
    return listOf(ids.flatMap((id) => this.registry.organization(id) ?? []).map(organizationDto));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One organization' })
  @ApiOkResponse({ type: OrganizationDto })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<OrganizationDto>> {
    return organizationDto(await this.organizations.find(id, caller, 'organization:read'));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change an organization', description: 'For owners and admins of the organization.' })
  @ApiOkResponse({ type: OrganizationDto })
  async update(
    @Param('id') id: string,
    @Body() { name }: UpdateOrganizationDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<OrganizationDto>>> {
    const change = (by: string) => ({ type: 'UpdateOrganization', data: { changes: sent({ name }), by } }) as const;
    const answer = (registry: () => Registry) => registry().organization(id);
    const written = await this.commands.execute(new ChangeOrganization(id, change, { answer }, context));
    return written.as(organizationDto);
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Delete an organization with its websites, links, keys and members',
    description: 'For owners of the organization.',
  })
  @Deletes()
  delete(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<null>> {
    const change = (by: string) => ({ type: 'DeleteOrganization', data: { by } }) as const;
    return this.commands.execute(new ChangeOrganization(id, change, { answer: deleted }, context));
  }
}
