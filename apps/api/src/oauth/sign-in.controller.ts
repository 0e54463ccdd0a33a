import { Body, Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Accounts, setCookies } from '../accounts/accounts';
import { OwnPagesGuard } from '../accounts/own-pages.guard';
import { Budget, Public } from '../http/route';
import { RequestLimitGuard } from '../limits/request-limit.guard';
import { AuthorizationServer } from './authorization-server';
import { queryOf } from './authorize.controller';
import { FORM, formBody, PAGE, REDIRECT } from './documented';
import { textIn } from './form';
import { EXPIRED, refusedPage } from './pages/message.page';
import { sendPage } from './pages/page';
import { signInPage } from './pages/sign-in.page';

/** The page on which a person signs in while a client waits. */
@ApiTags('OAuth')
@Controller('v1/auth/oauth2')
@Public()
@Budget('api')
@UseGuards(OwnPagesGuard)
export class SignInController {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly accounts: Accounts,
    private readonly limits: RequestLimitGuard,
  ) {}

  @Get('sign-in')
  @ApiOperation({ summary: 'The page to sign in, with the request that `authorize` signed' })
  @ApiResponse(PAGE(200, 'The page'))
  @ApiResponse(PAGE(400, 'The request has expired or was changed'))
  async page(@Req() http: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = queryOf(http);
    const hasFailed = query.has('failed');
    query.delete('failed');
    const request = await this.server.verified(query.toString());
    if (request) sendPage(reply, signInPage(request, hasFailed));
    else sendPage(reply, refusedPage(EXPIRED), 400);
  }

  @Post('sign-in')
  @Budget('accounts')
  @ApiOperation({ summary: 'Sign in with the form of the page' })
  @ApiConsumes(FORM)
  @ApiBody(
    formBody(
      {
        request: 'The signed request',
        next: '`grants` or `verify-email` in its place',
        change: 'For `verify-email`: the token of the mail',
        email: 'Of the account',
        password: 'Of the account',
      },
      ['email', 'password'],
    ),
  )
  @ApiResponse(REDIRECT)
  @ApiResponse(PAGE(400, 'The request has expired or was changed'))
  async signIn(@Body() form: unknown, @Req() http: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const next = await this.nextOf(form);
    if (!next) {
      sendPage(reply, refusedPage(EXPIRED), 400);
      return;
    }
    const isSignedIn = await this.signedIn(textIn(form, 'email'), textIn(form, 'password'), reply);
    if (isSignedIn) await this.limits.giveBack(http);
    void reply.redirect(isSignedIn ? next.signedIn : next.failed, 303);
  }

  /** Where the form leads; undefined when its request has expired or was changed. */
  private async nextOf(form: unknown): Promise<{ readonly signedIn: string; readonly failed: string } | undefined> {
    if (textIn(form, 'next') === 'grants') return { signedIn: 'grants', failed: 'grants?failed=1' };
    if (textIn(form, 'next') === 'verify-email') {
      const page = `../verify-email?${new URLSearchParams({ token: textIn(form, 'change') }).toString()}`;
      return { signedIn: page, failed: `${page}&failed=1` };
    }
    const signed = textIn(form, 'request');
    if (!(await this.server.verified(signed))) return undefined;
    return { signedIn: `authorize?${askedFor(signed)}`, failed: `sign-in?${signed}&failed=1` };
  }

  /** False for a wrong email or password. */
  private async signedIn(email: string, password: string, reply: FastifyReply): Promise<boolean> {
    try {
      const request = { body: { email, password }, returnHeaders: true as const };
      const { headers } = await this.accounts.call((api) => api.signInEmail(request));
      setCookies(reply, headers);
      return true;
    } catch (error) {
      if (error instanceof Problem && REFUSED.has(error.code)) return false;
      throw error;
    }
  }
}

const REFUSED: ReadonlySet<string> = new Set(['AUTH_REQUIRED', 'VALIDATION_ERROR', 'FORBIDDEN']);

/** The request as the client sent it, without what was added for the pages, and without the sign-in that has happened. */
function askedFor(signed: string): string {
  const query = [...new URLSearchParams(signed)].filter(([name]) => !ADDED.test(name));
  return new URLSearchParams(query).toString();
}

const ADDED = /^(ba_\w+|sig|exp|prompt)$/;
