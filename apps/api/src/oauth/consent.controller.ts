import { Body, Controller, Get, Headers, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OwnPagesGuard } from '../accounts/own-pages.guard';
import { RequestContext, type CommandContext } from '../commands/command-context';
import { Budget, Public } from '../http/route';
import { queryOf } from './authorize.controller';
import { Consents } from './consents';
import { FORM, formBody, PAGE, REDIRECT } from './documented';
import { sendNext } from './send-next';

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
