import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { may } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { assertBelongs, assertMay } from '../auth/assert-may';
import { CurrentCaller, Requires } from '../http/route';
import { Context, type CommandContext } from '../commands/command-context';
import type { Written } from '../commands/written';
import { ApiList, type List, listOf, OrganizationListDto } from '../http/list.dto';
import { notFound } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { RegisterWebsite } from './register-website.command';
import { RegisterWebsiteDto, websiteDetails, WebsiteDto, websiteDto } from './website.dto';

@ApiTags('Websites')
@Controller('v1/websites')
export class WebsitesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly registry: Registry,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Register a website' })
  @Requires('write:data', 'owner', 'admin')
  @ApiCreatedResponse({ type: WebsiteDto })
  async register(
    @Body() body: RegisterWebsiteDto,
    @Context() context: CommandContext,
  ): Promise<Written<Plain<WebsiteDto>>> {
    const written = await this.commands.execute(new RegisterWebsite(websiteDetails(body), context));
    return written.as(websiteDto);
  }

  @Get()
  @ApiOperation({ summary: 'The websites of an organization that the caller may read' })
  @Requires('read:data')
  @ApiList(WebsiteDto)
  list(@Query() { organizationId }: OrganizationListDto, @CurrentCaller() caller: Caller): List<Plain<WebsiteDto>> {
    assertBelongs(caller, organizationId);
    const websites = this.registry.websitesOf(organizationId);
    return listOf(
      websites
        .filter((website) => may(caller, 'websites:read', { organizationId, websiteId: website.id }))
        .map(websiteDto),
    );
  }

  @Get(':id')
  @ApiOperation({ summary: 'One website' })
  @Requires('read:data')
  @ApiOkResponse({ type: WebsiteDto })
  one(@Param('id') id: string, @CurrentCaller() caller: Caller): WebsiteDto {
    const website = this.registry.website(id);
    if (!website) throw notFound('Website');
    assertMay(caller, 'websites:read', { organizationId: website.organizationId, websiteId: id }, 'Website');
    return websiteDto(website);
  }
}
