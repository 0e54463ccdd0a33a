import { Controller, Get, Headers, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Budget, Public } from '../http/route';
import { AuthorizationServer } from './authorization-server';
import { sendNext } from './send-next';
import { PAGE, REDIRECT } from './documented';

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
