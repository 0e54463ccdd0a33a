import { Body, Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { html, type Html } from '../../http/html';
import { RequestLimitGuard } from '../../http/limits.module';
import { OwnPagesGuard } from '../../http/origins';
import { Budget, Public } from '../../http/route';
import { UnverifiedAddress } from '../accounts/account-library';
import { Accounts, setCookies } from '../accounts/accounts';
import type { NewAddress } from '../accounts/email-changes';
import { AuthorizationServer, type AuthorizationRequest } from './authorization-server';
import { queryOf } from './consent.controller';
import { FORM, formBody, PAGE, REDIRECT, formText } from './form';
import { EXPIRED, refusedPage, sendHtmlPage, type HtmlPage } from './pages/page';

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
    const failed = query.get('failed') ?? '';
    query.delete('failed');
    const request = await this.server.verified(query.toString());
    if (request) sendHtmlPage(reply, signInPage(request, failed));
    else sendHtmlPage(reply, refusedPage(EXPIRED), 400);
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
      sendHtmlPage(reply, refusedPage(EXPIRED), 400);
      return;
    }
    const failed = await this.failureOf(formText(form, 'email'), formText(form, 'password'), reply);
    if (failed === undefined) await this.limits.giveBack(http);
    void reply.redirect(failed === undefined ? next.signedIn : `${next.failed}failed=${failed}`, 303);
  }

  /** Where the form leads, `failed` to be completed; undefined when its request has expired or was changed. */
  private async nextOf(form: unknown): Promise<{ readonly signedIn: string; readonly failed: string } | undefined> {
    if (formText(form, 'next') === 'grants') return { signedIn: 'grants', failed: 'grants?' };
    if (formText(form, 'next') === 'verify-email') {
      const page = `../verify-email?${new URLSearchParams({ token: formText(form, 'change') }).toString()}`;
      return { signedIn: page, failed: `${page}&` };
    }
    const signed = formText(form, 'request');
    if (!(await this.server.verified(signed))) return undefined;
    return { signedIn: `authorize?${askedFor(signed)}`, failed: `sign-in?${signed}&` };
  }

  /** Undefined when it succeeds. */
  private async failureOf(email: string, password: string, reply: FastifyReply): Promise<SignInFailure | undefined> {
    try {
      const { headers } = await this.accounts.signIn({ email, password });
      setCookies(reply, headers);
      return undefined;
    } catch (error) {
      if (error instanceof UnverifiedAddress) return 'unverified';
      if (error instanceof Problem && REFUSED.has(error.code)) return '1';
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

/** In the address of a page: of a wrong email or password, or of an address that is not verified. */
type SignInFailure = '1' | 'unverified';

/** Asks for email and password, whoever is signed in. */
const signInPage = (request: AuthorizationRequest, failed: string): HtmlPage => ({
  title: 'Sign in',
  leadsTo: request.redirectUri,
  content: html`<h1>Sign in to let <strong>${request.clientHost}</strong> connect</h1>
    <p>After signing in you choose what it may see and do. Nothing is allowed yet.</p>
    ${signInForm(html`<input type="hidden" name="request" value="${request.signed}" />`, failed)}`,
});

/** Returns the page to sign in without a client that waits. */
export const signInToGrantsPage = (failed: string): HtmlPage => ({
  title: 'Sign in',
  content: html`<h1>Sign in to see what you have allowed</h1>
    ${signInForm(html`<input type="hidden" name="next" value="grants" />`, failed)}`,
});

/** To confirm a new address. It may be in the wrong hands, so the present one is not shown. */
export const signInToChangeEmailPage = (
  { to }: NewAddress,
  token: string,
  { failed, isOther }: { readonly failed: string; readonly isOther: boolean },
): HtmlPage => ({
  title: 'Sign in',
  content: html`<h1>Sign in to confirm <strong>${to}</strong></h1>
    <p>
      ${isOther ? 'You are signed in with another account. ' : undefined}Sign in with the address that your account has
      now.
    </p>
    ${signInForm(
      html`<input type="hidden" name="next" value="verify-email" />
        <input type="hidden" name="change" value="${token}" />`,
      failed,
      'oauth2/sign-in',
    )}`,
});

const signInForm = (hidden: Html, failed: string, action = 'sign-in'): Html =>
  html`${failed !== '' ? html`<p class="problem" role="alert">${sentenceOf(failed)}.</p>` : undefined}
    <form method="post" action="${action}">
      ${hidden}
      <label for="email">Email</label>
      <input class="text" id="email" name="email" type="email" autocomplete="username" required maxlength="254" />
      <label for="password">Password</label>
      <input
        class="text"
        id="password"
        name="password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="128"
      />
      <div class="actions"><button>Sign in</button></div>
    </form>`;

const sentenceOf = (failed: string): string =>
  failed === 'unverified' ? new UnverifiedAddress().message : 'Email or password is wrong';
