import { Body, Controller, Get, Headers, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Budget, Public } from '../http/route';
import { OwnPagesGuard } from '../http/origins';
import { RequestContext, type CommandContext } from '../commands/command-context';
import { AuthorizationServer } from './authorization-server';
import { sendNext } from './pages/page';
import { FORM, formBody, PAGE, REDIRECT } from './form';
import { Consents } from './consents';

@ApiTags('OAuth')
@Controller('v1/auth/oauth2')
@Public()
@Budget('api')
export class AuthorizeController {
  constructor(private readonly server: AuthorizationServer) {}

  @Get('authorize')
  @ApiOperation({
    summary: 'Begin the authorization of a client (RFC 6749, PKCE S256, RFC 8707)',
    description:
      'A browser opens it. Parameters: `response_type=code`, `client_id` (the address of the metadata document), `redirect_uri`, `code_challenge`, `code_challenge_method=S256`, `resource`, `scope`, `state`. It leads to the pages for signing in and for consent, and from there back to the client.',
  })
  @ApiResponse(REDIRECT)
  @ApiResponse(PAGE(400, 'The client or its address could not be verified'))
  async authorize(
    @Req() request: FastifyRequest,
    @Headers('cookie') cookie: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendNext(reply, await this.server.authorize(queryOf(request), cookie));
  }
}

export const queryOf = ({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams =>
  new URLSearchParams(url.slice(url.indexOf('?') + 1 || url.length));

const FIELDS = {
  request: 'The signed request',
  token: 'Of the page',
  decision: '`allow` or `deny`',
  organizationId: 'In which organization',
  scope: 'What the client may do; once for each scope',
  websiteId: 'Once for each website, with `websites_<organizationId>=some`',
};

/** The page on which a person decides what a client may do for them. */
@ApiTags('OAuth')
@Controller('v1/auth/oauth2')
@Public()
@Budget('api')
@UseGuards(OwnPagesGuard)
export class ConsentController {
  constructor(private readonly consents: Consents) {}

  @Get('consent')
  @ApiOperation({ summary: 'The page to allow or deny a client, with the request that `authorize` signed' })
  @ApiResponse(PAGE(200, 'The page'))
  @ApiResponse(REDIRECT)
  @ApiResponse(PAGE(400, 'The request has expired or was changed'))
  async page(
    @Req() http: FastifyRequest,
    @Headers('cookie') cookie: string | undefined,
    @RequestContext() context: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.consents.show(queryOf(http), cookie, context.caller, reply);
  }

  @Post('consent')
  @ApiOperation({ summary: 'Decide with the form of the page' })
  @ApiConsumes(FORM)
  @ApiBody(formBody(FIELDS, ['request', 'token', 'decision']))
  @ApiResponse(REDIRECT)
  @ApiResponse(PAGE(400, 'The request has expired or was changed'))
  async decide(
    @Body() form: unknown,
    @Headers('cookie') cookie: string | undefined,
    @RequestContext() context: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendNext(reply, await this.consents.decide(form, cookie, context));
  }
}
