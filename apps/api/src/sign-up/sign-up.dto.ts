import { SIGN_UP_MODES, type SignUpMode } from '@ledgerline/platform/config/settings';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { NewPassword, RememberMe, SignedInDto } from '../accounts/account.dto';
import { EmailAddress, Text } from '../http/fields';

export class SignUpDto {
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

export class SignedUpDto extends SignedInDto {
  @ApiProperty({
    description:
      'Whether the account waits until the token of the mail to its address is sent to `/v1/auth/sign-in/email`; else the person is signed in. Also for an address that has an account already, whose owner gets a mail that says so',
  })
  awaitsVerification: boolean;
}

export class SignUpModeDto {
  @ApiProperty({
    enum: SIGN_UP_MODES,
    description: 'open: everybody · invited: those with an invitation, and operators · closed: nobody',
  })
  mode: SignUpMode;

  @ApiProperty({ description: 'Whether a new account has to confirm its address by a mail' })
  verifiesAddresses: boolean;
}

export class VerificationMailDto {
  @EmailAddress({ description: 'The address of the account', example: 'ada@example.com' })
  email: string;
}
