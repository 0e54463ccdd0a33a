import { Body, Controller, Delete, Get, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Link } from '@ledgerline/contracts/records';
import type { Settings } from '@ledgerline/platform/config/settings';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, type CommandContext } from '../commands/command-context';
import { Deletes, type CommandResult } from '../commands/command-result';
import { MinPosition, type AwaitedPosition } from '../http/log-position';
import type { Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { SETTINGS } from '../tokens';
import { ChangeLink } from './change-link.command';
import { CreateLink } from './create-link.command';
import { FindLink } from './find-link.query';
import { UpdateLinkDto, CreateLinkDto, linkChanges, newLink } from './link-settings.dto';
import { LinkDto, linkDto } from './link.dto';
import { ApiLinkPage, linkPageDto, type LinkPageDto } from './link-page.dto';
import { ListLinksDto } from './list-links.dto';
import { ListLinks } from './list-links.query';

@ApiTags('Links')
@Controller('v1/links')
export class LinksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create a short link' })
  @Requires('write:data')
  @ApiCreatedResponse({ type: LinkDto })
  async create(
    @Body() body: CreateLinkDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<LinkDto>>> {
    const input = { organizationId: body.organizationId, ...newLink(body) };
    const written = await this.commands.execute(new CreateLink(input, context));
    return written.as((link) => this.record(link));
  }

  @Get()
  @ApiOperation({ summary: 'The short links of an organization' })
  @Requires('read:data')
  @ApiLinkPage()
  async list(
    @Query() wanted: ListLinksDto,
    @CurrentCaller() caller: Caller,
    @MinPosition() minPosition: AwaitedPosition | undefined,
  ): Promise<LinkPageDto> {
    const page = await this.queries.execute(new ListLinks(wanted, caller, minPosition));
    return linkPageDto(page, wanted, this.settings.publicTrackUrl);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One short link' })
  @Requires('read:data')
  @ApiOkResponse({ type: LinkDto })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<LinkDto>> {
    return this.record(await this.queries.execute(new FindLink(id, caller)));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change a short link; a former slug leads nowhere and stays reserved for it' })
  @Requires('write:data')
  @ApiOkResponse({ type: LinkDto })
  async update(
    @Param('id') id: string,
    @Body() body: UpdateLinkDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<LinkDto> | null>> {
    const { organizationId } = body;
    const change = { type: 'UpdateLink', data: { changes: linkChanges(body) } } as const;
    const written = await this.commands.execute(new ChangeLink(id, change, context, organizationId));
    return written.as((link) => link && this.record(link));
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete a short link: it leads nowhere, and its slug is never used again' })
  @Requires('write:data')
  @Deletes()
  delete(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<Link | null>> {
    return this.commands.execute(new ChangeLink(id, { type: 'DeleteLink', data: {} }, context));
  }

  private record(link: Link): Plain<LinkDto> {
    return linkDto(link, this.settings.publicTrackUrl);
  }
}
