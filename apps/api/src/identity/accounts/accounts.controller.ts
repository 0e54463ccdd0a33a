import { Body, Controller, Get, Header, Headers, HttpCode, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '@ledgerline/domain/access/caller';
import { RequestLimitGuard } from '../../http/limits.module';
import { OwnPagesGuard } from '../../http/origins';
import { invalid, unavailableProblem } from '../../http/problems';
import type { PlainData } from '../../http/record.dto';
import { Budget, CurrentCaller, Public, Refuses, Requires } from '../../http/route';
import {
  accountDto,
  ChangeEmailDto,
  DoneDto,
  SessionDto,
  SignedInDto,
  SignInDto,
  UpdateUserDto,
  VerifyEmailDto,
} from './account.dto';
import { Accounts, cookieHeaders, setCookies } from './accounts';
import { EmailChanges } from './email-changes';

/** Sign-in, sign-out and the session. Routes of the account library that are not declared do not exist. */
@ApiTags('Accounts')
@Controller('v1/auth')
@Public()
@Budget('accounts')
@UseGuards(OwnPagesGuard)
export class AccountsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly limits: RequestLimitGuard,
  ) {}

  @Post('sign-in/email')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Sign in',
    description:
      'With `SMTP_URL`, new accounts are refused (FORBIDDEN) until the `token` of the mail to their address has been sent along. Public.',
  })
  @ApiOkResponse({ type: SignedInDto })
  async signIn(
    @Body() { token, ...credentials }: SignInDto,
    @Req() http: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<SignedInDto>> {
    const { headers, response } = await this.accounts.signIn(credentials, token);
    await this.limits.giveBack(http);
    setCookies(reply, headers);
    return { user: accountDto(response.user) };
  }

  @Post('sign-out')
  @Budget('api')
  @HttpCode(200)
  @ApiOperation({ summary: 'End the session' })
  @ApiOkResponse({ type: DoneDto })
  async signOut(
    @Headers('cookie') cookie: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<DoneDto>> {
    const request = { headers: cookieHeaders(cookie), returnHeaders: true as const };
    const { headers } = await this.accounts.call((api) => api.signOut(request));
    // the library does not report that it could not delete the session
    if ((await this.accounts.personOf({ cookie })) !== undefined) throw unavailableProblem();
    setCookies(reply, headers);
    return { success: true };
  }

  @Get('get-session')
  @Budget('api')
  @Refuses('FORBIDDEN')
  @Header('content-type', 'application/json; charset=utf-8')
  @ApiOperation({ summary: 'Who is signed in; `null` without a session' })
  @ApiOkResponse({ type: SessionDto, nullable: true })
  async session(
    @Headers('cookie') cookie: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<SessionDto> | 'null'> {
    const request = { headers: cookieHeaders(cookie), returnHeaders: true as const };
    const { headers, response } = await this.accounts.call((api) => api.getSession(request));
    setCookies(reply, headers);
    if (!response) return 'null';
    const { createdAt, expiresAt } = response.session;
    return {
      user: accountDto(response.user),
      session: { createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() },
      isOperator: this.accounts.isOperator(response.user),
    };
  }
}

/** Routes with which people change their own accounts. */
@ApiTags('Accounts')
@Controller('v1/auth')
@Requires('person')
@Budget('accounts')
@UseGuards(OwnPagesGuard)
export class AccountChangesController {
  constructor(
    private readonly accounts: Accounts,
    private readonly emailChanges: EmailChanges,
  ) {}

  @Post('update-user')
  @HttpCode(200)
  @ApiOperation({ summary: 'Change the own name' })
  @ApiOkResponse({ type: SignedInDto })
  async rename(
    @Body() { name }: UpdateUserDto,
    @Headers('cookie') cookie: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<SignedInDto>> {
    const request = { body: { name }, headers: cookieHeaders(cookie), returnHeaders: true as const };
    const { headers } = await this.accounts.call((api) => api.updateUser(request));
    setCookies(reply, headers);
    return { user: accountDto(await this.accounts.userOf(cookie)) };
  }

  @Post('change-email')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send a mail to a new address of the account',
    description:
      'The account keeps its address until the token of the mail is sent to `/v1/auth/verify-email`, or confirmed on the page at that address. The answer is the same for an address that has an account, which gets no mail.',
  })
  @ApiOkResponse({ type: DoneDto })
  async changeEmail(
    @Body() { newEmail, currentPassword }: ChangeEmailDto,
    @Headers('cookie') cookie: string | undefined,
    @CurrentCaller() caller: Caller,
  ): Promise<PlainData<DoneDto>> {
    if (caller.kind === 'user' && caller.email === newEmail.toLowerCase())
      throw invalid([{ field: 'newEmail', message: 'newEmail is the address of the account already.' }]);
    await this.accounts.assertPassword(cookie, currentPassword);
    await this.accounts.call((api) => api.changeEmail({ body: { newEmail }, headers: cookieHeaders(cookie) }));
    return { success: true };
  }

  @Post('verify-email')
  @Refuses('CONFLICT')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Change the own address with the token of a mail',
    description: 'The earlier address gets a mail that says so. Links of password resets sent before are over.',
  })
  @ApiOkResponse({ type: SignedInDto })
  async verifyEmail(
    @Query() { token }: VerifyEmailDto,
    @Headers('cookie') cookie: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<SignedInDto>> {
    setCookies(reply, await this.emailChanges.confirm(cookie, token));
    return { user: accountDto(await this.accounts.userOf(cookie)) };
  }
}
