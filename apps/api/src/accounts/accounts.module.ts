import { Module } from '@nestjs/common';
import { Accounts } from './accounts';
import { AccountsController } from './accounts.controller';
import { Mailer } from './mailer';
import { People } from './people';

const shared = [Accounts, Mailer, People];

@Module({ controllers: [AccountsController], providers: shared, exports: shared })
export class AccountsModule {}
