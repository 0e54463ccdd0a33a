import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { CommandsModule } from '../commands/commands.module';
import { AcceptInvitationHandler, InviteMemberHandler } from './invitation.commands';
import { ChangeOrganizationHandler, CreateOrganizationHandler } from './organization.commands';
import { InvitationAddresses } from './invitation-addresses';
import { InvitationsController, OwnInvitationsController } from './invitations.controller';
import { ManagedOrganizations } from './managed-organizations';
import { MembersController } from './members.controller';
import { OrganizationsController } from './organizations.controller';
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
