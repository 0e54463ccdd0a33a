import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { EmailAddress, Text } from '../../http/fields';
import type { PlainData } from '../../http/record.dto';

export const PASSWORD_LENGTH = { min: 10, max: 128 };

const EXAMPLE = { format: 'password', example: 'correct horse battery' } as const;

export const NewPassword = () =>
  applyDecorators(ApiProperty(EXAMPLE), IsString(), Length(PASSWORD_LENGTH.min, PASSWORD_LENGTH.max));

const CurrentPassword = () => applyDecorators(ApiProperty(EXAMPLE), IsString(), Length(1, PASSWORD_LENGTH.max));

const Flag = (description: string, initially: boolean) =>
  applyDecorators(
    ApiProperty({ type: Boolean, description, required: false, default: initially }),
    IsOptional(),
    IsBoolean(),
  );

const ResetToken = () =>
  applyDecorators(
    ApiProperty({ description: 'From the mail, in the body or in the query', required: false }),
    IsOptional(),
    IsString(),
    MaxLength(200),
  );

export const RememberMe = () => Flag('With false, the session ends with the browser', true);

export class SignInDto {
  @EmailAddress({ description: 'The address of the account', example: 'ada@example.com' })
  email: string;

  @CurrentPassword()
  password: string;

  @RememberMe()
  rememberMe?: boolean;

  @ApiProperty({ description: 'Of the mail that confirms the address of a new account', required: false })
  @IsOptional()
  @IsString()
  @Length(1, 2_000)
  token?: string;
}

export class ChangePasswordDto {
  @CurrentPassword()
  currentPassword: string;

  @NewPassword()
  newPassword: string;

  @Flag('Ends all sessions and begins a new one here', false)
  revokeOtherSessions?: boolean;

  @Flag('Ends all grants: programs that act for the person need a new consent', true)
  revokeGrants?: boolean;
}

export class RequestPasswordResetDto {
  @EmailAddress({ description: 'The address of the account', example: 'ada@example.com' })
  email: string;

  @ApiProperty({
    description: 'A page of a dashboard, which the mail links to with the `token` in its query',
    format: 'uri',
    required: false,
  })
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  redirectTo?: string;
}

export class ResetTokenDto {
  @ResetToken()
  token?: string;
}

export class ResetPasswordDto extends ResetTokenDto {
  @NewPassword()
  newPassword: string;
}

class AccountDto {
  @ApiProperty({ example: 'usr_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E' })
  id: string;

  @ApiProperty({ format: 'email' })
  email: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  updatedAt: string;
}

/** The session itself is in the cookie alone, which pages cannot read. */
export class SignedInDto {
  @ApiProperty({ type: AccountDto })
  user: PlainData<AccountDto>;
}

class SessionTimesDto {
  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

export class SessionDto extends SignedInDto {
  @ApiProperty({ type: SessionTimesDto })
  session: PlainData<SessionTimesDto>;

  @ApiProperty({ description: 'Whether the person runs the installation: `GET /v1/projections` is for operators' })
  isOperator: boolean;
}

export class DoneDto {
  @ApiProperty({ enum: [true] })
  success: true;
}

interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Lists each field, so that what the library adds to its records is not shown. */
export const accountDto = ({ id, email, name, createdAt, updatedAt }: User): PlainData<AccountDto> => ({
  id,
  email,
  name,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

export class UpdateUserDto {
  @Text(1, 255, { description: 'What others see', example: 'Ada' })
  name: string;
}

export class ChangeEmailDto {
  @EmailAddress({ description: 'An address without an account', example: 'ada@example.org' })
  newEmail: string;

  @CurrentPassword()
  currentPassword: string;
}

export class VerifyEmailDto {
  @ApiProperty({ description: 'From the mail' })
  @IsString()
  @Length(1, 2_000)
  token: string;
}

export class DeleteUserDto {
  @CurrentPassword()
  currentPassword: string;
}
