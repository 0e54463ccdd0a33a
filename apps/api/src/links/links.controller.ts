import { Body, Controller, Get, Inject, Param, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { assertMay } from '../auth/assert-may';
import { CurrentCaller, Requires } from '../http/route';
import { Context, type CommandContext } from '../commands/command-context';
import type { Written } from '../commands/written';
import { ApiPage, type Page, pageOf } from '../http/list.dto';
import { notFound } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { SETTINGS } from '../tokens';
import { CreateLink } from './create-link.command';
import { CreateLinkDto, LinkDto, linkDto, ListLinksDto } from './link.dto';
import { ListLinks } from './list-links.query';

@ApiTags('Links')
@Controller('v1/links')
export class LinksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly registry: Registry,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create a short link' })
  @Requires('write:data')
  @ApiCreatedResponse({ type: LinkDto })
  async create(@Body() body: CreateLinkDto, @Context() context: CommandContext): Promise<Written<Plain<LinkDto>>> {
    const written = await this.commands.execute(new CreateLink(body, context));
    return written.as((link) => linkDto(link, this.settings.publicTrackUrl));
  }

  @Get()
  @ApiOperation({ summary: 'The short links of an organization' })
  @Requires('read:data')
  @ApiPage(LinkDto)
  async list(@Query() wanted: ListLinksDto, @CurrentCaller() caller: Caller): Promise<Page<Plain<LinkDto>>> {
    const { links, total } = await this.queries.execute(new ListLinks(wanted, caller));
    const shown = links.map((link) => linkDto(link, this.settings.publicTrackUrl));
    return pageOf(shown, total, wanted);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One short link' })
  @Requires('read:data')
  @ApiOkResponse({ type: LinkDto })
  one(@Param('id') id: string, @CurrentCaller() caller: Caller): LinkDto {
    const link = this.registry.link(id);
    if (!link) throw notFound('Link');
    assertMay(caller, 'links:read', { organizationId: link.organizationId }, 'Link');
    return linkDto(link, this.settings.publicTrackUrl);
  }
}
