import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountDeletionModule } from '../account-deletion/account-deletion.module';
import { AccountsModule } from '../accounts/accounts.module';
import { CommandsModule } from '../commands/commands.module';
import { OrganizationsModule } from '../organizations/organizations.module';
import { Erasures, PersonErasure, ProfileErasure } from './erasures';
import { ErasuresController } from './erasures.controller';
import { PersonalKeys } from './personal-keys';
import { RequestErasureHandler } from './request-erasure.command';

@Module({
  imports: [AccountDeletionModule, AccountsModule, CommandsModule, OrganizationsModule],
  controllers: [ErasuresController],
  providers: [
    Erasures,
    PersonErasure,
    PersonalKeys,
    ProfileErasure,
    RequestErasureHandler,
    { provide: ProfileKeys, inject: [DataSource], useFactory: (source: DataSource) => new ProfileKeys(source) },
  ],
})
export class ErasuresModule {}
