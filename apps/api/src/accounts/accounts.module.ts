import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module';
import { AccountChangesController } from './account-changes.controller';
import { Accounts } from './accounts';
import { AccountsController } from './accounts.controller';
import { ClientDocuments } from './client-documents';
import { EmailChanges } from './email-changes';
import { MailFiles } from './mail-files';
import { Mailer } from './mailer';
import { People } from './people';

const shared = [Accounts, EmailChanges, MailFiles, Mailer, People];

@Module({
  imports: [LimitsModule],
  controllers: [AccountsController, AccountChangesController],
  providers: [...shared, ClientDocuments],
  exports: shared,
})
export class AccountsModule {}
