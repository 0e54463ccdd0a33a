import { Body, Controller, Headers, HttpCode, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { invalid } from '../http/problems';
import type { Plain } from '../http/record.dto';
import { Budget, CurrentCaller, Refuses, Requires } from '../http/route';
import { ChangeEmailDto, UpdateUserDto, VerifyEmailDto } from './account-changes.dto';
import { accountDto, DoneDto, SignedInDto } from './account.dto';
import { Accounts, cookieOf, setCookies } from './accounts';
import { EmailChanges } from './email-changes';
import { OwnPagesGuard } from './own-pages.guard';

/** What people change of their own accounts. */
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
  ): Promise<Plain<SignedInDto>> {
    const request = { body: { name }, headers: cookieOf(cookie), returnHeaders: true as const };
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
  ): Promise<Plain<DoneDto>> {
    if (caller.kind === 'user' && caller.email === newEmail.toLowerCase())
      throw invalid([{ field: 'newEmail', message: 'newEmail is the address of the account already.' }]);
    await this.accounts.assertPassword(cookie, currentPassword);
    await this.accounts.call((api) => api.changeEmail({ body: { newEmail }, headers: cookieOf(cookie) }));
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
  ): Promise<Plain<SignedInDto>> {
    setCookies(reply, await this.emailChanges.confirm(cookie, token));
    return { user: accountDto(await this.accounts.userOf(cookie)) };
  }
}
