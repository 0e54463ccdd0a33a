import { Module } from '@nestjs/common';
import { LimitsModule } from '../../http/limits.module';
import { Accounts } from './accounts';
import { AccountChangesController, AccountsController } from './accounts.controller';
import { EmailChanges } from './email-changes';
import { Mailer, MailFiles } from './mailer';
import { ClientDocuments } from './oauth-plugins';
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
