import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { assertBelongs } from '../auth/assert-may';
import { CurrentCaller, Requires } from '../http/route';
import { Context, type CommandContext } from '../commands/command-context';
import type { Written } from '../commands/written';
import { notFound } from '../http/problems';
import { ApiList, type List, listOf } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { CreateOrganization } from './create-organization.command';
import { CreateOrganizationDto, OrganizationDto, organizationDto } from './organization.dto';

@ApiTags('Organizations')
@Controller('v1/organizations')
export class OrganizationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly registry: Registry,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an organization with the caller as its owner' })
  @Requires('person')
  @ApiCreatedResponse({ type: OrganizationDto })
  async create(
    @Body() body: CreateOrganizationDto,
    @Context() context: CommandContext,
  ): Promise<Written<Plain<OrganizationDto>>> {
    const written = await this.commands.execute(new CreateOrganization({ name: body.name }, context));
    return written.as(organizationDto);
  }

  @Get()
  @ApiOperation({ summary: 'The organizations of the caller' })
  @Requires('person')
  @ApiList(OrganizationDto)
  list(@CurrentCaller() caller: Caller): List<Plain<OrganizationDto>> {
    const ids = caller.kind === 'user' ? [...caller.roles.keys()] : [];
    return listOf(ids.flatMap((id) => this.registry.organization(id) ?? []).map(organizationDto));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One organization' })
  @Requires('person')
  @ApiOkResponse({ type: OrganizationDto })
  one(@Param('id') id: string, @CurrentCaller() caller: Caller): OrganizationDto {
    assertBelongs(caller, id);
    const organization = this.registry.organization(id);
    if (!organization) throw notFound('Organization');
    return organizationDto(organization);
  }
}
