import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { CommandsModule } from '../commands/commands.module';
import { OAuthModule } from '../oauth/oauth.module';
import { OrganizationsModule } from '../organizations/organizations.module';
import { AccountDeletion, Departures } from './account-deletion';
import { AccountDeletionController } from './account-deletion.controller';

/** How a person goes: from an organization, and altogether. */
@Module({
  imports: [AccountsModule, CommandsModule, OAuthModule, OrganizationsModule],
  controllers: [AccountDeletionController],
  providers: [AccountDeletion, Departures],
  exports: [AccountDeletion, Departures],
})
export class AccountDeletionModule {}
