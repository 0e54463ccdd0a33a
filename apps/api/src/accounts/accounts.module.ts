import { Module } from '@nestjs/common';
import { Accounts } from './accounts';
import { AccountsController } from './accounts.controller';
import { Mailer } from './mailer';

@Module({ controllers: [AccountsController], providers: [Accounts, Mailer], exports: [Accounts, Mailer] })
export class AccountsModule {}
