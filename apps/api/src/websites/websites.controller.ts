import type { Website } from '@ledgerline/contracts/records';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { may } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { assertBelongs } from '../auth/assert-may';
import { CurrentCaller, Requires } from '../http/route';
import { Context, type CommandContext } from '../commands/command-context';
import { Deletes, type CommandResult } from '../commands/command-result';
import { ApiList, type List, listOf, OrganizationListDto } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { ChangeWebsite } from './change-website.command';
import { ManagedWebsites } from './managed-websites';
import { RegisterWebsite } from './register-website.command';
import { RegisterWebsiteDto, UpdateWebsiteDto, websiteChanges, websiteDetails } from './website-settings.dto';
import { WebsiteDto, websiteDto } from './website.dto';

const CHANGERS = 'For keys with `write:data` on it, and people who are owner or admin of the organization.';

@ApiTags('Websites')
@Controller('v1/websites')
export class WebsitesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly websites: ManagedWebsites,
    private readonly registry: Registry,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Register a website', description: CHANGERS })
  @Requires('write:data', 'person')
  @ApiCreatedResponse({ type: WebsiteDto })
  async register(
    @Body() body: RegisterWebsiteDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<WebsiteDto>>> {
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
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<WebsiteDto>> {
    return websiteDto(await this.websites.find(id, caller, 'websites:read'));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change a website', description: `${CHANGERS} Only owners may change its retention.` })
  @Requires('write:data', 'person')
  @ApiOkResponse({ type: WebsiteDto })
  async update(
    @Param('id') id: string,
    @Body() body: UpdateWebsiteDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<WebsiteDto> | null>> {
    const change = { type: 'UpdateWebsite', data: { changes: websiteChanges(body) } } as const;
    const written = await this.commands.execute(new ChangeWebsite(id, change, context));
    return written.as((website) => website && websiteDto(website));
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Delete a website: its events are refused and its queries forbidden',
    description: CHANGERS,
  })
  @Requires('write:data', 'person')
  @Deletes()
  delete(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<Website | null>> {
    return this.commands.execute(new ChangeWebsite(id, { type: 'DeleteWebsite', data: {} }, context));
  }
}
