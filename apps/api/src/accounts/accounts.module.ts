import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module';
import { AccountChangesController, AccountsController } from './accounts.controller';
import { Accounts } from './accounts';
import { ClientDocuments } from './oauth-plugins';
import { EmailChanges } from './email-changes';
import { Mailer, MailFiles } from './mailer';
import { People } from './people';
import { SignIns } from './sign-ins';

const shared = [Accounts, EmailChanges, MailFiles, Mailer, People, SignIns];

@Module({
  imports: [LimitsModule],
  controllers: [AccountsController, AccountChangesController],
  providers: [...shared, ClientDocuments],
  exports: shared,
})
export class AccountsModule {}
