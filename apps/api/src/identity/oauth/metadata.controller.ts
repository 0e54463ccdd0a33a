import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GRANT_SCOPES } from '@ledgerline/contracts/events/api-key.events';
import type { Settings } from '@ledgerline/platform/config/settings';
import { Public } from '../../http/route';
import { SETTINGS } from '../../tokens';
import { mcpResource } from '../accounts/oauth-plugins';

type Host = Pick<Settings, 'publicApiUrl'>;

/** Metadata of the authorization server (RFC 8414). Clients register themselves with metadata documents only. */
const authorizationServerMetadata = ({ publicApiUrl }: Host) => ({
  issuer: publicApiUrl,
  authorization_endpoint: `${publicApiUrl}/v1/auth/oauth2/authorize`,
  token_endpoint: `${publicApiUrl}/v1/auth/oauth2/token`,
  revocation_endpoint: `${publicApiUrl}/v1/auth/oauth2/revoke`,
  scopes_supported: [...GRANT_SCOPES],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: [mcpResource({ publicApiUrl })],
  service_documentation: `${publicApiUrl}/`,
});

/** Metadata of the one protected resource (RFC 9728). */
const protectedResourceMetadata = ({ publicApiUrl }: Host) => ({
  resource: mcpResource({ publicApiUrl }),
  resource_name: 'Ledgerline',
  authorization_servers: [publicApiUrl],
  scopes_supported: [...GRANT_SCOPES],
  bearer_methods_supported: ['header'],
  resource_documentation: `${publicApiUrl}/`,
});

/** The schema of a document whose members are texts and lists of texts. */
const schemaOf = (document: object) => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, Array.isArray(value) ? TEXTS : { type: typeof value }]),
  ),
  required: Object.keys(document),
});

const TEXTS = { type: 'array', items: { type: 'string' } };

const EXAMPLE = { publicApiUrl: '' };

/** Routes that clients read before they ask a person. */
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
