import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Settings } from '@ledgerline/platform/config/settings';
import { arraySchema, object, text, yes } from '../http/record.dto';
import { Public, Routes } from '../http/route';
import { SETTINGS } from '../tokens';
import { TOOLS, ToolDescriptions } from './catalogue';
import { CAPABILITIES, INSTRUCTIONS, RESOURCES, SERVER_INFO } from './mcp-servers';

/** The route of the metadata from which clients learn how people sign in. */
const SIGN_IN = 'GET /.well-known/oauth-protected-resource/v1/mcp';

/** The present revision, which the library keeps apart from the earlier ones. */
const PRESENT_REVISION = '2026-07-28';

/**
 * Returns what agents find, before they connect; with every tool, of which each credential sees those that it may use.
 */
const serverCard = (publicApiUrl: string, routes: readonly string[], descriptions: ToolDescriptions) => ({
  ...SERVER_INFO,
  description: 'Event-sourced analytics for websites and short links: exact counts, provable history.',
  serverInfo: SERVER_INFO,
  documentationUrl: `${publicApiUrl}/`,
  protocolVersions: [PRESENT_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS],
  transport: { type: 'streamable-http', endpoint: '/v1/mcp', url: `${publicApiUrl}/v1/mcp` },
  authentication: { required: true, schemes: routes.includes(SIGN_IN) ? ['bearer', 'oauth2'] : ['bearer'] },
  capabilities: CAPABILITIES,
  instructions: INSTRUCTIONS,
  tools: descriptions.of(TOOLS),
  resources: RESOURCES.map(({ uri, name, title, description, mimeType }) => ({
    uri,
    name,
    title,
    description,
    mimeType,
  })),
});

const anything = { type: 'object', additionalProperties: true };

const CARD_SCHEMA = object({
  name: text,
  title: text,
  version: text,
  description: text,
  serverInfo: object({ name: text, title: text, version: text }),
  documentationUrl: { ...text, format: 'uri' },
  protocolVersions: arraySchema(text),
  transport: object({ type: text, endpoint: text, url: { ...text, format: 'uri' } }),
  authentication: object({ required: yes, schemes: arraySchema({ ...text, enum: ['bearer', 'oauth2'] }) }),
  capabilities: anything,
  instructions: text,
  tools: arraySchema(anything),
  resources: arraySchema(anything),
});

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
