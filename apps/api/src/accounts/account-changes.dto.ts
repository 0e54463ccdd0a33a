import { ApiProperty } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import { EmailAddress, Text } from '../http/fields';
import { CurrentPassword } from './account.dto';

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
