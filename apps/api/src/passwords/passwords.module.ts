import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { OAuthModule } from '../oauth/oauth.module';
import { PasswordsController } from './passwords.controller';

/** Changed and forgotten passwords, with which what programs were allowed ends. */
@Module({ imports: [AccountsModule, OAuthModule], controllers: [PasswordsController] })
export class PasswordsModule {}
