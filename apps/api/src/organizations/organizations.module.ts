import { Module } from '@nestjs/common';
import { ResourcesModule } from '../commands/resource.controller';
import { AccountsModule } from '../identity/accounts/accounts.module';
import { InvitationAddresses } from './invitation-addresses';
import { AcceptInvitationHandler } from './invitation.commands';
import { InvitationsController, OwnInvitationsController, PendingInvitations } from './invitations.controller';
import { Organizations } from './organizations';
import { MembersController, OrganizationsController } from './organizations.controller';

@Module({
  imports: [ResourcesModule, AccountsModule],
  controllers: [OrganizationsController, MembersController, InvitationsController, OwnInvitationsController],
  providers: [Organizations, InvitationAddresses, PendingInvitations, AcceptInvitationHandler],
  exports: [InvitationAddresses],
})
export class OrganizationsModule {}
