import { Body, Controller, Get, Header, Headers, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { Budget, Public, Refuses } from '../http/route';
import { RequestLimitGuard } from '../limits/request-limit.guard';
import { accountDto, DoneDto, SessionDto, SignedInDto, SignInDto } from './account.dto';
import { Accounts, cookieOf, setCookies } from './accounts';
import { OwnPagesGuard } from './own-pages.guard';

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
  ): Promise<Plain<SignedInDto>> {
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
  ): Promise<Plain<DoneDto>> {
    const request = { headers: cookieOf(cookie), returnHeaders: true as const };
    const { headers } = await this.accounts.call((api) => api.signOut(request));
    // the library does not report that it could not delete the session
    if ((await this.accounts.personOf({ cookie })) !== undefined) throw unavailable();
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
  ): Promise<Plain<SessionDto> | 'null'> {
    const request = { headers: cookieOf(cookie), returnHeaders: true as const };
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
