import { Controller, Get, Inject } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../http/route';
import { SETTINGS } from '../tokens';
import { authorizationServerMetadata, protectedResourceMetadata, schemaOf } from './metadata';

const EXAMPLE = { publicApiUrl: '' };

/** What clients read before they ask a person. */
@ApiTags('Discovery')
@Controller('.well-known')
@Public()
export class OAuthMetadataController {
  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  @Get('oauth-authorization-server')
  @ApiOperation({ summary: 'The authorization server (RFC 8414)' })
  @ApiOkResponse({ content: { 'application/json': { schema: schemaOf(authorizationServerMetadata(EXAMPLE)) } } })
  server(): ReturnType<typeof authorizationServerMetadata> {
    return authorizationServerMetadata(this.settings);
  }

  @Get('oauth-protected-resource')
  @ApiOperation({ summary: 'What access tokens are for (RFC 9728)' })
  @ApiOkResponse({ content: { 'application/json': { schema: schemaOf(protectedResourceMetadata(EXAMPLE)) } } })
  resource(): ReturnType<typeof protectedResourceMetadata> {
    return protectedResourceMetadata(this.settings);
  }

  @Get('oauth-protected-resource/v1/mcp')
  @ApiOperation({ summary: 'The same, at the address that RFC 9728 derives from the resource' })
  @ApiOkResponse({ content: { 'application/json': { schema: schemaOf(protectedResourceMetadata(EXAMPLE)) } } })
  mcp(): ReturnType<typeof protectedResourceMetadata> {
    return protectedResourceMetadata(this.settings);
  }
}
