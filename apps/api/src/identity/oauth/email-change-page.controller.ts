import { Body, Controller, Get, Headers, Inject, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { type CommandContext, RequestContext } from '../../commands/command-context';
import { html } from '../../http/html';
import { OwnPagesGuard } from '../../http/origins';
import { forbidden } from '../../http/problems';
import { Budget, Public, Refuses } from '../../http/route';
import { SETTINGS } from '../../tokens';
import { setCookies } from '../accounts/accounts';
import { EmailChanges, type NewAddress } from '../accounts/email-changes';
import { FORM, formBody, formToken, isFormToken, PAGE, REDIRECT, formText } from './form';
import { sendHtmlPage, type HtmlPage } from './pages/page';
import { signInToChangeEmailPage } from './sign-in.controller';

const TITLE = 'Your new address';

/** Asks the person of the account whether its address is to change. */
const emailChangePage = ({ from, to }: NewAddress, token: string, formToken: string): HtmlPage => ({
  title: TITLE,
  content: html`<h1>Change the address of your account</h1>
    <p>From ${from}<br />to <strong>${to}</strong></p>
    <p class="soft">You sign in with the new address from then on.</p>
    <form method="post" action="verify-email/confirm">
      <input type="hidden" name="token" value="${formToken}" />
      <input type="hidden" name="change" value="${token}" />
      <div class="actions"><button>Change the address</button></div>
    </form>`,
});

const emailChangedPage = ({ to }: NewAddress): HtmlPage => ({
  title: TITLE,
  content: html`<h1>The address of your account is <strong>${to}</strong></h1>
    <p>You sign in with it from now on. You can close this page.</p>`,
});

const emailNotChangedPage = (reason: string): HtmlPage => ({
  title: TITLE,
  content: html`<h1>The address of your account was not changed</h1>
    <p role="alert">${reason}</p>`,
});

const WRONG_LINK = 'This link has expired, was used already, or is not complete.';

/** The page that the mail to a new address links to. */
@ApiTags('Accounts')
@Controller('v1/auth/verify-email')
@Public()
@Budget('accounts')
@UseGuards(OwnPagesGuard)
export class EmailChangePageController {
  constructor(
    private readonly emailChanges: EmailChanges,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @Budget('api')
  @ApiOperation({ summary: 'The page to confirm a new address, or to sign in for it' })
  @ApiQuery({ name: 'token', type: String, description: 'From the mail' })
  @ApiQuery({ name: 'failed', type: String, required: false, description: 'After a sign-in that failed' })
  @ApiResponse(PAGE(200, 'The page'))
  @ApiResponse(PAGE(400, 'The link has expired or was changed'))
  async page(
    @Query() query: unknown,
    @Headers('cookie') cookie = '',
    @RequestContext() { caller }: CommandContext,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const token = formText(query, 'token');
    const change = await this.emailChanges.read(token);
    if (!change) sendHtmlPage(reply, emailNotChangedPage(WRONG_LINK), 400);
    else {
      const email = caller.kind === 'user' ? caller.email : undefined;
      sendHtmlPage(
        reply,
        this.pageFor(email, change, token, cookie) ??
          signInToChangeEmailPage(change, token, {
            failed: formText(query, 'failed'),
            isOther: email !== undefined,
          }),
      );
    }
  }

  @Post('confirm')
  @Refuses('CONFLICT')
  @ApiOperation({ summary: 'Confirm a new address with the form of the page' })
  @ApiConsumes(FORM)
  @ApiBody(formBody({ token: 'Of the page', change: 'The token of the mail' }, ['token', 'change']))
  @ApiResponse(REDIRECT)
  @ApiResponse(PAGE(400, 'The link has expired or was used'))
  @ApiResponse(PAGE(409, 'The address has an account already'))
  async confirm(@Body() form: unknown, @Headers('cookie') cookie = '', @Res() reply: FastifyReply): Promise<void> {
    const change = formText(form, 'change');
    if (!isFormToken(formText(form, 'token'), cookie, change, this.settings.authSecret)) throw forbidden();
    try {
      setCookies(reply, await this.emailChanges.confirm(cookie, change));
      void reply.redirect(`../verify-email?${new URLSearchParams({ token: change }).toString()}`, 303);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'VALIDATION_ERROR') sendHtmlPage(reply, emailNotChangedPage(WRONG_LINK), 400);
      else if (error.code === 'CONFLICT') sendHtmlPage(reply, emailNotChangedPage(`${error.message}.`), 409);
      else throw error;
    }
  }

  /** Undefined for those who are not signed in with the account of the change. */
  private pageFor(email: string | undefined, change: NewAddress, token: string, cookie: string): HtmlPage | undefined {
    if (email === change.to) return emailChangedPage(change);
    if (email === change.from)
      return emailChangePage(change, token, formToken(cookie, token, this.settings.authSecret));
    return undefined;
  }
}
