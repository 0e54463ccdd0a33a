import type { StatusPage } from '@ledgerline/contracts/records';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Settings } from '@ledgerline/platform/config/settings';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, type CommandContext } from '../commands/command-context';
import { Deletes, type CommandResult } from '../commands/command-result';
import { ApiList, listOf, OrganizationListDto, type List } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { CurrentCaller, Refuses, Requires } from '../http/route';
import { SETTINGS } from '../tokens';
import { ChangeStatusPage } from './change-status-page.command';
import { CreateStatusPage } from './create-status-page.command';
import { ManagedStatusPages } from './managed-status-pages';
import { CreateStatusPageDto, newStatusPage, statusPageChanges, UpdateStatusPageDto } from './status-page-settings.dto';
import { StatusPageDto, statusPageDto } from './status-page.dto';

export const CHANGERS = 'For keys with `write:data` on everything, and people who are owner or admin.';
export const READERS = 'For keys with `read:data` on everything, and members of the organization.';

@ApiTags('Status pages')
@Controller('v1/status-pages')
export class StatusPagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly pages: ManagedStatusPages,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @Refuses('CONFLICT')
  @ApiOperation({ summary: 'Create a status page', description: CHANGERS })
  @Requires('write:data', 'person')
  @ApiCreatedResponse({ type: StatusPageDto })
  async create(
    @Body() body: CreateStatusPageDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<StatusPageDto>>> {
    const written = await this.commands.execute(new CreateStatusPage(newStatusPage(body), context));
    return written.as((page) => this.dtoOf(page));
  }

  @Get()
  @ApiOperation({ summary: 'The status pages of an organization', description: READERS })
  @Requires('read:data', 'person')
  @ApiList(StatusPageDto)
  list(@Query() { organizationId }: OrganizationListDto, @CurrentCaller() caller: Caller): List<Plain<StatusPageDto>> {
    return listOf(this.pages.of(organizationId, caller).map((page) => this.dtoOf(page)));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One status page', description: READERS })
  @Requires('read:data', 'person')
  @ApiOkResponse({ type: StatusPageDto })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<StatusPageDto>> {
    return this.dtoOf(await this.pages.find(id, caller, 'status-pages:read'));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change a status page', description: CHANGERS })
  @Requires('write:data', 'person')
  @ApiOkResponse({ type: StatusPageDto })
  async update(
    @Param('id') id: string,
    @Body() body: UpdateStatusPageDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<StatusPageDto> | null>> {
    const written = await this.commands.execute(new ChangeStatusPage(id, statusPageChanges(body), context));
    return written.as((page) => page && this.dtoOf(page));
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete a status page; its slug stays the organization’s', description: CHANGERS })
  @Requires('write:data', 'person')
  @Deletes()
  delete(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<StatusPage | null>> {
    return this.commands.execute(new ChangeStatusPage(id, null, context));
  }

  private dtoOf(page: StatusPage): Plain<StatusPageDto> {
    return statusPageDto(this.pages.withoutDeletedMonitors(page), this.settings.publicApiUrl);
  }
}
