import { Body, Controller, Get, HttpCode, Inject, Post, Res, UseGuards } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { accountDto, DoneDto } from '../accounts/account.dto';
import { verifiesAddresses } from '../accounts/account-library';
import { Accounts, setCookies } from '../accounts/accounts';
import { OwnPagesGuard } from '../http/origins';
import type { Plain } from '../http/record.dto';
import { Budget, Public, Refuses } from '../http/route';
import { SETTINGS } from '../tokens';
import { SignedUpDto, SignUpDto, SignUpModeDto, VerificationMailDto } from './sign-up.dto';
import { SignUpRules } from './sign-up-rules';

@ApiTags('Accounts')
@Controller('v1/auth')
@Public()
@Budget('accounts')
@UseGuards(OwnPagesGuard)
export class SignUpController {
  constructor(
    private readonly accounts: Accounts,
    private readonly rules: SignUpRules,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get('sign-up')
  @Budget('api')
  @ApiOperation({ summary: 'Who may create an account' })
  @ApiOkResponse({ type: SignUpModeDto })
  mode(): SignUpModeDto {
    return { mode: this.settings.signUp, verifiesAddresses: verifiesAddresses(this.settings) };
  }

  @Post('sign-up/email')
  @Refuses('CONFLICT')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Create an account, and sign in unless its address has to be confirmed first',
    description: 'Who may is configured by `SIGN_UP`; others are refused (FORBIDDEN). Public.',
  })
  @ApiOkResponse({ type: SignedUpDto })
  async signUp(
    @Body() { invitation, proof, ...account }: SignUpDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Plain<SignedUpDto>> {
    const isProven = await this.rules.admit({ email: account.email, invitation, proof });
    const { headers, response, awaitsVerification } = await this.accounts.signUp(account, isProven);
    setCookies(reply, headers);
    return { user: accountDto(response.user), awaitsVerification };
  }

  @Post('send-verification-email')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Send the mail again that confirms the address of an account, if it is not confirmed',
    description: 'At most once a minute to an address; the answer is the same for every address. Public.',
  })
  @ApiOkResponse({ type: DoneDto })
  async sendVerification(@Body() { email }: VerificationMailDto): Promise<Plain<DoneDto>> {
    await this.accounts.sendVerification(email);
    return { success: true };
  }
}
