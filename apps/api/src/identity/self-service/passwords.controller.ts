import { setTimeout as delay } from 'node:timers/promises';
import { Body, Controller, Headers, HttpCode, Inject, Module, Post, Query, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { parseUrl } from '@ledgerline/contracts/parse-url';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import type { Settings } from '@ledgerline/platform/config/settings';
import { type CommandContext, RequestContext } from '../../commands/command-context';
import { OwnPagesGuard } from '../../http/origins';
import { invalid } from '../../http/problems';
import type { PlainData } from '../../http/record.dto';
import { Budget, Public, Requires } from '../../http/route';
import { SETTINGS } from '../../tokens';
import {
  accountDto,
  ChangePasswordDto,
  DoneDto,
  RequestPasswordResetDto,
  ResetPasswordDto,
  ResetTokenDto,
  SignedInDto,
} from '../accounts/account.dto';
import { Accounts, cookieHeaders, setCookies } from '../accounts/accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { GrantRevocation } from '../oauth/grants';
import { OAuthModule } from '../oauth/oauth.module';

/** A request for a reset takes at least this long, so that its duration does not show whether there is an account. */
const RESET_REQUEST_MS = 250;

@ApiTags('Accounts')
@Controller('v1/auth')
@Public()
@Budget('accounts')
@UseGuards(OwnPagesGuard)
class PasswordsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly grants: GrantRevocation,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post('change-password')
  @HttpCode(200)
  @Requires('person')
  @ApiOperation({ summary: 'Change the own password, and by default end all grants' })
  @ApiOkResponse({ type: SignedInDto })
  async change(
    @Body() { currentPassword, newPassword, revokeOtherSessions, revokeGrants = true }: ChangePasswordDto,
    @Headers('cookie') cookie: string | undefined,
    @RequestContext() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<SignedInDto>> {
    // before the change, so that an attempt that fails halfway can be repeated
    if (revokeGrants && context.caller.kind === 'user') {
      await this.accounts.assertPassword(cookie, currentPassword);
      await this.grants.revokeAll(context.caller.id, context);
    }
    const body = { currentPassword, newPassword, revokeOtherSessions };
    const request = { body, headers: cookieHeaders(cookie), returnHeaders: true as const };
    const { headers, response } = await this.accounts.call((api) => api.changePassword(request));
    await this.accounts.endResetsOf(response.user.id);
    setCookies(reply, headers);
    return { user: accountDto(response.user) };
  }

  @Post('request-password-reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Send a mail to set a new password, if the address has an account' })
  @ApiOkResponse({ type: DoneDto })
  async requestReset(@Body() { email, redirectTo }: RequestPasswordResetDto): Promise<PlainData<DoneDto>> {
    this.assertDashboard(redirectTo);
    const body = { email, redirectTo };
    await Promise.all([this.accounts.call((api) => api.requestPasswordReset({ body })), delay(RESET_REQUEST_MS)]);
    return { success: true };
  }

  @Post('reset-password')
  @HttpCode(200)
  @ApiOperation({ summary: 'Set a new password with the token of a mail, and end all sessions and grants' })
  @ApiOkResponse({ type: DoneDto })
  async reset(
    @Body() { newPassword, ...body }: ResetPasswordDto,
    @Query() query: ResetTokenDto,
    @RequestContext() context: CommandContext,
  ): Promise<PlainData<DoneDto>> {
    const token = body.token ?? query.token;
    if (!token) throw invalid([{ field: 'token', message: 'token must be in the body or in the query.' }]);
    const id = await this.accounts.personOfReset(token);
    const caller = id === undefined ? ANONYMOUS : ({ kind: 'user', id, roles: new Map() } as const);
    if (id !== undefined) await this.grants.revokeAll(id, { ...context, caller });
    await this.accounts.call((api) => api.resetPassword({ body: { newPassword, token } }));
    return { success: true };
  }

  /** A mail never links to a foreign page, which would get the token. */
  private assertDashboard(address: string | undefined): void {
    if (address === undefined) return;
    const origin = parseUrl(address)?.origin ?? '';
    if (this.settings.dashboardOrigins.includes(origin)) return;
    throw invalid([{ field: 'redirectTo', message: 'redirectTo must be an address of a configured dashboard.' }]);
  }
}

/** Changed and forgotten passwords, with which what programs were allowed ends. */
@Module({ imports: [AccountsModule, OAuthModule], controllers: [PasswordsController] })
export class PasswordsModule {}
