import { Body, Controller, HttpCode, Injectable, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiProperty, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RevocationReason } from '@ledgerline/contracts/events/api-key.events';
import type { OAuthGrant } from '@ledgerline/contracts/records';
import { type GrantCaller, clientLabel } from '@ledgerline/domain/access/caller';
import { type CommandContext, RequestContext } from '../../commands/command-context';
import { Budget, Public } from '../../http/route';
import { OFFLINE_ACCESS } from '../accounts/oauth-plugins';
import { AuthorizationServer, type TokenAnswer } from './authorization-server';
import { FORM, formBody, formText, formFieldTexts } from './form';
import { GrantRevocation, ManagedGrants } from './grants';
import { type Issued, StoredTokens } from './stored-tokens';

/** Issues, renews and revokes tokens. A code or refresh token that comes twice was stolen by one of the two: its grant ends. */
@Injectable()
export class Tokens {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly stored: StoredTokens,
    private readonly grants: ManagedGrants,
    private readonly revocation: GrantRevocation,
  ) {}

  async issue(form: unknown, context: CommandContext): Promise<TokenAnswer> {
    const repeated = FIELDS.find((name) => formFieldTexts(form, name).length > 1);
    if (repeated !== undefined) return refusal('invalid_request', `${repeated} must not be repeated`);
    const issued = await this.issuedFor(form);
    if (issued?.isUsed) await this.revoke(issued, 'reuse', context);
    if (issued && !(await this.grants.active(issued.grantId))) return refusal('invalid_grant', 'this grant has ended');
    return this.server.token(formOf(form));
  }

  /** Either token of a client ends its whole grant; tokens that are unknown or of others change nothing (RFC 7009). */
  async revokeFor(form: unknown, context: CommandContext): Promise<TokenAnswer> {
    const token = formText(form, 'token');
    const clientId = formText(form, 'client_id');
    if (token === '' || clientId === '') return refusal('invalid_request', 'token and client_id are required');
    const issued = (await this.stored.accessToken(token)) ?? (await this.stored.refreshToken(token));
    if (issued?.clientId === clientId) await this.revoke(issued, 'client', context);
    return { ok: true, body: {} };
  }

  private async issuedFor(form: unknown): Promise<Issued | undefined> {
    if (formText(form, 'grant_type') === 'refresh_token')
      return this.stored.refreshToken(formText(form, 'refresh_token'));
    return this.stored.usedCode(formText(form, 'code'));
  }

  private async revoke({ grantId }: Issued, reason: RevocationReason, context: CommandContext): Promise<void> {
    const grant = await this.grants.active(grantId);
    if (!grant) return;
    const caller = reason === 'client' ? clientOf(grant) : context.caller;
    await this.revocation.revoke(grant, reason, { ...context, caller });
  }
}

const FIELDS = ['grant_type', 'client_id', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope'];

const formOf = (form: unknown): URLSearchParams =>
  new URLSearchParams(
    [...FIELDS, 'resource'].flatMap((name) => formFieldTexts(form, name).map((text): [string, string] => [name, text])),
  );

const refusal = (error: string, description: string): TokenAnswer => ({
  ok: false,
  body: { error, error_description: description },
});

/** The client acts for the person who gave the grant. */
const clientOf = (grant: OAuthGrant): GrantCaller => ({
  kind: 'grant',
  id: grant.id,
  organizationId: grant.organizationId,
  client: clientLabel(grant),
  scopes: [],
  resources: null,
  person: { id: grant.userId },
  role: 'member',
});

class AccessTokenDto {
  @ApiProperty({ example: 'oat_aBcD' })
  access_token: string;

  @ApiProperty({ enum: ['Bearer'] })
  token_type: string;

  @ApiProperty({ type: 'integer', description: 'Seconds' })
  expires_in: number;

  @ApiProperty({ description: 'Takes the place of the one that was sent', required: false })
  refresh_token?: string;

  @ApiProperty({ description: 'What the person allowed, separated by spaces' })
  scope: string;
}

/** The error body of every route, with what RFC 6749 adds; `error` is its code. */
class OAuthErrorDto {
  @ApiProperty({ enum: [false] })
  success: false;

  @ApiProperty({ example: 'invalid_grant' })
  error: string;

  @ApiProperty({ required: false })
  error_description?: string;

  @ApiProperty({ example: 'VALIDATION_ERROR' })
  code: string;

  @ApiProperty()
  requestId: string;
  @ApiProperty({
    required: false,
    type: 'array',
    description: 'Every wrong field of a form that cannot be read',
    items: {
      type: 'object',
      properties: { field: { type: 'string' }, message: { type: 'string' }, suggestion: { type: 'string' } },
      required: ['field', 'message'],
    },
  })
  details?: readonly object[];
}

const TOKEN_FIELDS = {
  grant_type: '`authorization_code` or `refresh_token`',
  client_id: 'The address of the metadata document',
  code: 'With `authorization_code`',
  redirect_uri: 'With `authorization_code`: as in the request for the code',
  code_verifier: 'With `authorization_code`: PKCE',
  refresh_token: 'With `refresh_token`',
  scope: 'With `refresh_token`: fewer scopes than were allowed',
  resource: 'The resource that the token is for (RFC 8707)',
};

const REFUSED = { status: 400, type: OAuthErrorDto, description: 'Refused, with the code of RFC 6749 as `error`' };

@ApiTags('OAuth')
@Controller('v1/auth/oauth2')
@Public()
@Budget('api')
export class TokensController {
  constructor(private readonly tokens: Tokens) {}

  @Post('token')
  @HttpCode(200)
  @ApiOperation({ summary: 'Exchange a code or a refresh token for tokens (RFC 6749)' })
  @ApiConsumes(FORM)
  @ApiBody(formBody(TOKEN_FIELDS, ['grant_type', 'client_id']))
  @ApiOkResponse({ type: AccessTokenDto })
  @ApiResponse(REFUSED)
  async token(
    @Body() form: unknown,
    @RequestContext() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    send(reply, request, await this.tokens.issue(form, context), tokenOf);
  }

  @Post('revoke')
  @HttpCode(200)
  @ApiOperation({ summary: 'End a grant with one of its tokens (RFC 7009)' })
  @ApiConsumes(FORM)
  @ApiBody(formBody({ token: 'An access token or refresh token', client_id: 'The client' }, ['token', 'client_id']))
  @ApiOkResponse({
    description: 'No process accepts a token of this grant any more',
    schema: { type: 'object', maxProperties: 0 },
  })
  @ApiResponse(REFUSED)
  async revoke(
    @Body() form: unknown,
    @RequestContext() context: CommandContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    send(reply, request, await this.tokens.revokeFor(form, context), () => ({}));
  }
}

type TokenBody = TokenAnswer['body'];

function send(
  reply: FastifyReply,
  { id }: FastifyRequest,
  { ok, body }: TokenAnswer,
  shown: (body: TokenBody) => object,
) {
  if (ok) void reply.status(200).send(shown(body));
  else void reply.status(400).send({ success: false, ...errorOf(body), code: 'VALIDATION_ERROR', requestId: id });
}

const tokenOf = ({ access_token, token_type, expires_in, refresh_token, scope }: TokenBody) => ({
  access_token,
  token_type,
  expires_in,
  ...(refresh_token === undefined ? {} : { refresh_token }),
  scope: String(scope)
    .split(' ')
    .filter((each) => each !== OFFLINE_ACCESS)
    .join(' '),
});

/** The library answers a wrong verifier with another code than RFC 7636. */
function errorOf({ error, error_description }: TokenBody) {
  const description = typeof error_description === 'string' ? error_description : undefined;
  const code = typeof error === 'string' ? error : 'invalid_request';
  return {
    error: description === 'code verification failed' ? 'invalid_grant' : code,
    ...(description === undefined ? {} : { error_description: description }),
  };
}
