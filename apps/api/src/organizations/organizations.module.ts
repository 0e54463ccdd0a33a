import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { ResourcesModule } from '../resources/resource.controller';
import { AcceptInvitationHandler } from './invitation.commands';
import { Organizations } from './organizations';
import { InvitationAddresses } from './invitation-addresses';
import { InvitationsController, OwnInvitationsController, PendingInvitations } from './invitations.controller';
import { MembersController, OrganizationsController } from './organizations.controller';

@Module({
  imports: [ResourcesModule, AccountsModule],
  controllers: [OrganizationsController, MembersController, InvitationsController, OwnInvitationsController],
  providers: [Organizations, InvitationAddresses, PendingInvitations, AcceptInvitationHandler],
  exports: [InvitationAddresses],
})
export class OrganizationsModule {}
