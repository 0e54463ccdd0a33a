import { Module } from '@nestjs/common';
import { Accounts } from './accounts';
import { AccountsController } from './accounts.controller';
import { ClientDocuments } from './client-documents';
import { MailFiles } from './mail-files';
import { Mailer } from './mailer';
import { PasswordsController } from './passwords.controller';
import { People } from './people';

const shared = [Accounts, MailFiles, Mailer, People];

@Module({
  controllers: [AccountsController, PasswordsController],
  providers: [...shared, ClientDocuments],
  exports: shared,
})
export class AccountsModule {}
