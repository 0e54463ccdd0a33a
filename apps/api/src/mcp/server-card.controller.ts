import { Controller, Get, Inject } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../http/route';
import { Routes } from '../http/routes';
import { SETTINGS } from '../tokens';
import { CARD_SCHEMA, serverCard } from './server-card';
import { ToolDescriptions } from './tool-descriptions';

@ApiTags('Discovery')
@Controller('.well-known/mcp')
@Public()
export class ServerCardController {
  constructor(
    private readonly descriptions: ToolDescriptions,
    private readonly routes: Routes,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('server-card.json')
  @ApiOperation({ summary: 'What agents find at /v1/mcp: transport, revisions, credentials, tools and resources' })
  @ApiOkResponse({ content: { 'application/json': { schema: CARD_SCHEMA } } })
  card(): ReturnType<typeof serverCard> {
    const routes = this.routes.all().map(({ name }) => name);
    return serverCard(this.settings.publicApiUrl, routes, this.descriptions);
  }
}
