import { Controller, Get, Header, Inject, Module } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '@ledgerline/platform/config/settings';
import { Public, Routes } from '../http/route';
import { AuthModule } from '../identity/auth/auth.module';
import { SETTINGS } from '../tokens';
import { OpenApi } from './open-api';

/** The media type of RFC 9727. */
export const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The hosts with their descriptions, documentation and health, as RFC 9727 lists them. */
const apiCatalog = ({ publicApiUrl, publicTrackUrl }: Pick<Settings, 'publicApiUrl' | 'publicTrackUrl'>) => {
  const described = {
    'service-desc': [
      { href: `${publicApiUrl}/openapi.json`, type: 'application/json' },
      { href: `${publicApiUrl}/openapi.yaml`, type: 'application/yaml' },
    ],
    'service-doc': [{ href: `${publicApiUrl}/`, type: 'text/html' }],
  };
  return {
    linkset: [
      {
        anchor: publicApiUrl,
        ...described,
        'service-meta': ['mcp.json', 'mcp/server-card.json'].map((name) => ({
          href: `${publicApiUrl}/.well-known/${name}`,
          type: 'application/json',
        })),
        status: [{ href: `${publicApiUrl}/health/ready`, type: 'application/json' }],
      },
      {
        anchor: publicTrackUrl,
        ...described,
        status: [{ href: `${publicTrackUrl}/health`, type: 'application/json' }],
      },
    ],
  };
};

const links = {
  type: 'array',
  items: { type: 'object', properties: { href: { type: 'string' }, type: { type: 'string' } } },
};

const CATALOG_SCHEMA = {
  type: 'object',
  properties: {
    linkset: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          anchor: { type: 'string', description: 'The address of a host' },
          'service-desc': links,
          'service-doc': links,
          'service-meta': links,
          status: links,
        },
        required: ['anchor', 'service-desc', 'service-doc', 'status'],
      },
    },
  },
  required: ['linkset'],
};

/** The one endpoint for agents. */
const MCP = '/v1/mcp';

/** Returns what agents can connect to: nothing where the api has no MCP route. */
const mcpManifest = (publicApiUrl: string, routes: readonly string[]) => ({
  name: 'ledgerline',
  title: 'Ledgerline',
  description: 'Event-sourced analytics for websites and short links: exact counts, provable history.',
  documentation: `${publicApiUrl}/`,
  openapi: `${publicApiUrl}/openapi.json`,
  servers: routes.includes(`POST ${MCP}`) ? [{ type: 'streamable-http', url: `${publicApiUrl}${MCP}` }] : [],
});

const text = { type: 'string' };

const MANIFEST_SCHEMA = {
  type: 'object',
  properties: {
    name: text,
    title: text,
    description: text,
    documentation: { ...text, format: 'uri' },
    openapi: { ...text, format: 'uri' },
    servers: {
      type: 'array',
      description: 'Empty while this version has no MCP server',
      items: {
        type: 'object',
        properties: { type: { ...text, enum: ['streamable-http'] }, url: { ...text, format: 'uri' } },
        required: ['type', 'url'],
      },
    },
  },
  required: ['name', 'title', 'description', 'documentation', 'openapi', 'servers'],
};

const DOCUMENT = { type: 'object', description: 'An OpenAPI 3.1 document' };

/** Routes that programs read to find their way; none of it needs a credential. */
@ApiTags('Discovery')
@Controller()
@Public()
class DiscoveryController {
  constructor(
    private readonly openApi: OpenApi,
    private readonly routes: Routes,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('openapi.json')
  @ApiOperation({ summary: 'This description as JSON' })
  @ApiOkResponse({ content: { 'application/json': { schema: DOCUMENT } } })
  json(): OpenAPIObject {
    return this.openApi.document();
  }

  @Get('openapi.yaml')
  @Header('content-type', 'application/yaml; charset=utf-8')
  @ApiOperation({ summary: 'This description as YAML' })
  @ApiOkResponse({ content: { 'application/yaml': { schema: { type: 'string' } } } })
  yaml(): string {
    return this.openApi.yaml();
  }

  @Get('.well-known/api-catalog')
  @Header('content-type', LINKSET)
  @Header('link', '</.well-known/api-catalog>; rel="api-catalog"')
  @ApiOperation({ summary: 'The catalogue of RFC 9727: where descriptions, documentation and health are' })
  @ApiOkResponse({ content: { 'application/linkset+json': { schema: CATALOG_SCHEMA } } })
  catalog(): string {
    return JSON.stringify(apiCatalog(this.settings));
  }

  @Get('.well-known/mcp.json')
  @ApiOperation({ summary: 'What agents can connect to' })
  @ApiOkResponse({ content: { 'application/json': { schema: MANIFEST_SCHEMA } } })
  mcp(): ReturnType<typeof mcpManifest> {
    const routes = this.routes.all().map(({ name }) => name);
    return mcpManifest(this.settings.publicApiUrl, routes);
  }
}

/** Provides what programs read to find their way. */
@Module({
  imports: [AuthModule],
  controllers: [DiscoveryController],
  providers: [OpenApi],
  exports: [OpenApi],
})
export class DiscoveryModule {}
