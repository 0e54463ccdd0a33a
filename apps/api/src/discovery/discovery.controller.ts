import { Controller, Get, Header, Inject, Module } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiOkResponse, ApiOperation, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import { Public, Routes } from '../http/route';
import { SETTINGS } from '../tokens';
import { AuthModule } from '../auth/auth.module';
import { apiCatalog, CATALOG_SCHEMA, LINKSET, MANIFEST_SCHEMA, mcpManifest } from './api-catalog';
import { OpenApi } from './open-api';

const DOCUMENT = { type: 'object', description: 'An OpenAPI 3.1 document' };

/** What programs read to find their way; none of it needs a credential. */
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

/** What programs read to find their way. */
@Module({
  imports: [AuthModule],
  controllers: [DiscoveryController],
  providers: [OpenApi],
  exports: [OpenApi],
})
export class DiscoveryModule {}
