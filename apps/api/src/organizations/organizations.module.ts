import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module';
import { CommandsModule } from '../commands/command-runner';
import { AcceptInvitationHandler, InviteMemberHandler } from './invitation.commands';
import { ChangeOrganizationHandler, CreateOrganizationHandler, ManagedOrganizations } from './organization.commands';
import { InvitationAddresses } from './invitation-addresses';
import { InvitationsController, OwnInvitationsController, PendingInvitations } from './invitations.controller';
import { SavedViewsModule } from '../saved-views/saved-views';
import { MembersController, OrganizationsController } from './organizations.controller';

@Module({
  imports: [CommandsModule, AccountsModule, SavedViewsModule],
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
