import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { CommandsModule } from '../commands/commands.module';
import { AcceptInvitationHandler } from './accept-invitation.command';
import { ChangeOrganizationHandler } from './change-organization.command';
import { CreateOrganizationHandler } from './create-organization.command';
import { InvitationAddresses } from './invitation-addresses';
import { InvitationsController } from './invitations.controller';
import { InviteMemberHandler } from './invite-member.command';
import { ManagedOrganizations } from './managed-organizations';
import { MembersController } from './members.controller';
import { OrganizationsController } from './organizations.controller';
import { OwnInvitationsController } from './own-invitations.controller';
import { PendingInvitations } from './pending-invitations';

@Module({
  imports: [CommandsModule, AccountsModule],
  controllers: [OrganizationsController, MembersController, InvitationsController, OwnInvitationsController],
  providers: [
    ManagedOrganizations,
    InvitationAddresses,
    PendingInvitations,
    CreateOrganizationHandler,
    ChangeOrganizationHandler,
    InviteMemberHandler,
    AcceptInvitationHandler,
  ],
  exports: [InvitationAddresses],
})
export class OrganizationsModule {}
