import { Module } from '@nestjs/common';
import { Accounts } from './accounts';
import { AccountsController } from './accounts.controller';

@Module({ controllers: [AccountsController], providers: [Accounts], exports: [Accounts] })
export class AccountsModule {}
