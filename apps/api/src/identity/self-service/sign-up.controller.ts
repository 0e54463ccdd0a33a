import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  Post,
  Res,
  UseGuards,
} from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { isSameSecret } from '@ledgerline/platform/api-keys/secret-store';
import type { MailSettings } from '@ledgerline/platform/config/service-settings';
import { SIGN_UP_MODES, type Settings, type SignUpMode } from '@ledgerline/platform/config/settings';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { EmailAddress, Text } from '../../http/fields';
import { OwnPagesGuard } from '../../http/origins';
import type { PlainData } from '../../http/record.dto';
import { Budget, Public, Refuses } from '../../http/route';
import { InvitationAddresses } from '../../organizations/invitation-addresses';
import { OrganizationsModule } from '../../organizations/organizations.module';
import { LOGGER, SETTINGS } from '../../tokens';
import { verifiesAddresses } from '../accounts/account-library';
import { consolePage } from '../accounts/account-mails';
import { DoneDto, NewPassword, RememberMe, SignedInDto, accountDto } from '../accounts/account.dto';
import { Accounts, setCookies } from '../accounts/accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { People } from '../accounts/people';
import { addressProof } from '../accounts/token-hash';

class SignUpDto {
  @EmailAddress({ description: 'An address without an account', example: 'ada@example.com' })
  email: string;

  @NewPassword()
  password: string;

  @Text(1, 255, { description: 'What others see', example: 'Ada' })
  name: string;

  @RememberMe()
  rememberMe?: boolean;

  @ApiProperty({
    description: 'From the link of an invitation to this address; needed where `SIGN_UP` is `invited`',
    required: false,
  })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  invitation?: string;

  @ApiProperty({
    description:
      'From the same link, where it was mailed: the address needs no other mail then. Or from the link for an operator in the log of the api',
    required: false,
  })
  @IsOptional()
  @IsString()
  @MaxLength(100)
  proof?: string;
}

class SignedUpDto extends SignedInDto {
  @ApiProperty({
    description:
      'Whether the account waits until the token of the mail to its address is sent to `/v1/auth/sign-in/email`; else the person is signed in. Also for an address that has an account already, whose owner gets a mail that says so',
  })
  awaitsVerification: boolean;
}

const MAIL_WAYS: readonly MailSettings['by'][] = ['smtp', 'files', 'nothing'];

class SignUpModeDto {
  @ApiProperty({
    enum: SIGN_UP_MODES,
    description: 'open: everybody · invited: those with an invitation, and operators · closed: nobody',
  })
  mode: SignUpMode;

  @ApiProperty({ description: 'Whether a new account has to confirm its address by a mail' })
  verifiesAddresses: boolean;

  @ApiProperty({
    enum: MAIL_WAYS,
    description: 'How mails leave: by a mail server, as files in the folder mails of `DATA_DIR`, or not at all',
  })
  mail: MailSettings['by'];
}

class VerificationMailDto {
  @EmailAddress({ description: 'The address of the account', example: 'ada@example.com' })
  email: string;
}

interface Applicant {
  readonly email: string;
  readonly invitation?: string | undefined;
  readonly proof?: string | undefined;
}

/** The subject of the proof in the link for an operator. */
const OPERATOR = 'operator';

const REFUSALS = {
  closed: 'Nobody can create an account here: sign-up is closed.',
  invited:
    'An account here needs an invitation: open the link of the invitation, and use the address that was invited.',
  unproven: 'An account for this address needs the link that the log of the api shows at its start.',
} as const;

/** Decides who may create an account. */
@Injectable()
class SignUpRules implements OnApplicationBootstrap {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly invitations: InvitationAddresses,
    private readonly people: People,
  ) {}

  /**
   * Returns whether the address is proven by the link of a mailed invitation; the id alone proves nothing, as those who
   * invited know it. An answer shows nothing of invitations to those who do not have the id. @throws Problem FORBIDDEN
   */
  async admit({ email, invitation, proof = '' }: Applicant): Promise<boolean> {
    const { signUp, authSecret } = this.settings;
    if (signUp === 'closed') throw refused('closed');
    const isInvited = invitation !== undefined && (await this.invitations.isOpen(invitation, email));
    const isProven = isInvited && isSameSecret(proof, addressProof(invitation, email, authSecret));
    if (this.isOfOperator(email)) {
      const hasLink = isSameSecret(proof, addressProof(OPERATOR, email, authSecret));
      if (!verifiesAddresses(this.settings) && !isProven && !hasLink) throw refused('unproven');
    } else if (signUp === 'invited' && !isInvited) throw refused('invited');
    return isProven;
  }

  /** Logs how operators without an account get one. */
  onApplicationBootstrap(): void {
    if (this.settings.signUp !== 'closed')
      void this.logWaysIn().catch((err: unknown) => this.logger.warn({ err }, 'accounts cannot be read just now'));
  }

  private async logWaysIn(): Promise<void> {
    const { operatorEmails, signUp } = this.settings;
    const known = await this.people.withAddresses(operatorEmails);
    for (const email of operatorEmails.filter((each) => !known.has(each)))
      this.logger.warn(
        { operator: email, link: this.linkFor(email) },
        'an operator has no account yet: sign up with this link',
      );
    if (signUp === 'invited' && operatorEmails.length === 0 && (await this.people.isEmpty()))
      this.logger.warn(
        'nobody can sign in, as there is no account, and none can be created: name the address of an operator in OPERATOR_EMAILS, or set SIGN_UP=open',
      );
  }

  /** Without a mail server, the link is all that shows who the operator is. */
  private linkFor(email: string): string {
    const proof = addressProof(OPERATOR, email, this.settings.authSecret);
    return consolePage(this.settings, 'sign-up', verifiesAddresses(this.settings) ? { email } : { email, proof });
  }

  private isOfOperator(email: string): boolean {
    return this.settings.operatorEmails.includes(email.toLowerCase());
  }
}

const refused = (reason: keyof typeof REFUSALS): Problem => new Problem('FORBIDDEN', REFUSALS[reason]);

@ApiTags('Accounts')
@Controller('v1/auth')
@Public()
@Budget('accounts')
@UseGuards(OwnPagesGuard)
class SignUpController {
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
    const { signUp, mail } = this.settings;
    return { mode: signUp, verifiesAddresses: verifiesAddresses(this.settings), mail: mail.by };
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
  ): Promise<PlainData<SignedUpDto>> {
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
  async sendVerification(@Body() { email }: VerificationMailDto): Promise<PlainData<DoneDto>> {
    await this.accounts.sendVerification(email);
    return { success: true };
  }
}

/** Provides the ways in which people get accounts. */
@Module({
  imports: [AccountsModule, OrganizationsModule],
  controllers: [SignUpController],
  providers: [SignUpRules],
})
export class SignUpModule {}
