import { Body, Controller, Headers, HttpCode, Injectable, Module, Post, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { type CommandContext, RequestContext, deletionResult } from '../../commands/command-context';
import { ActOnRecord, OwnRecords } from '../../commands/resource.commands';
import { ResourcesModule } from '../../commands/resource.controller';
import { DestinationsModule } from '../../destinations/destinations.controller';
import { MailReaders } from '../../destinations/mail-pages.controller';
import { OwnPagesGuard } from '../../http/origins';
import { conflict } from '../../http/problems';
import type { PlainData } from '../../http/record.dto';
import { Budget, Refuses, Requires } from '../../http/route';
import { InvitationAddresses } from '../../organizations/invitation-addresses';
import { Organizations, userOf } from '../../organizations/organizations';
import { OrganizationsModule } from '../../organizations/organizations.module';
import { DeleteUserDto, DoneDto } from '../accounts/account.dto';
import { Accounts, cookieHeaders, setCookies } from '../accounts/accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { MailFiles } from '../accounts/mailer';
import { People } from '../accounts/people';
import { GrantRevocation } from '../oauth/grants';
import { OAuthModule } from '../oauth/oauth.module';

/** Deletes what is stored of people outside of events. */
@Injectable()
export class AccountDeletion {
  constructor(
    private readonly people: People,
    private readonly mails: MailFiles,
    private readonly addresses: InvitationAddresses,
    private readonly readers: MailReaders,
  ) {}

  /** The account goes last, so that an attempt that failed can be repeated. */
  async delete(userId: string): Promise<void> {
    await this.deleteMailsAndInvitations(userId);
    await this.people.remove(userId);
  }

  /** An invitation's address, the mails to it and destinations that mail it; `sealed` reads the address in its event, which outlives the stored one. */
  async deleteInvitation(
    organizationId: string,
    invitationId: string,
    sealed: () => Promise<string | undefined>,
  ): Promise<void> {
    const stored = (await this.addresses.of([invitationId])).get(invitationId);
    const email = stored?.email ?? (await sealed());
    if (email !== undefined) {
      await this.mails.removeTo(email);
      await this.readers.removeTo(email, organizationId);
    }
    await this.addresses.remove([invitationId]);
  }

  /** The mails to a person, destinations that mail them, and the invitations of their address: all, or those of one organization. */
  async deleteMailsAndInvitations(userId: string, organizationId?: string): Promise<void> {
    const person = (await this.people.find([userId])).get(userId);
    if (!person) return;
    await this.mails.removeOf(person);
    await this.readers.removeTo(person.email, organizationId);
    const invitations = await this.addresses.to(person.email);
    const own = invitations.filter((each) => organizationId === undefined || each.organizationId === organizationId);
    await this.addresses.remove(own.map(({ invitationId }) => invitationId));
  }
}

/** The end of what people may do in organizations. */
@Injectable()
export class Departures {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    private readonly commands: CommandBus,
    private readonly grants: GrantRevocation,
    private readonly records: OwnRecords,
  ) {}

  /** The organizations of a person, also those that another process added them to a moment ago. */
  async organizationsOf(userId: string): Promise<readonly string[]> {
    await this.live.catchUp();
    return [...this.registry.rolesOf(userId).keys()];
  }

  /** @throws Problem CONFLICT that names the organizations whose last owner the person is */
  assertOtherOwners(organizationIds: readonly string[], userId: string): void {
    const left = organizationIds.filter((id) => {
      const [owner, ...others] = this.registry.membersOf(id).filter(({ role }) => role === 'owner');
      return owner?.userId === userId && others.length === 0;
    });
    const names = left.map((id) => `${this.registry.organization(id)?.name ?? ''} (${id})`);
    if (names.length > 0)
      throw conflict(`You are the last owner of ${names.join(', ')}: make somebody else an owner, or delete it first`);
  }

  /** Removes a person, deletes what is theirs alone and revokes their grants, as events by the caller; may be repeated. @throws Rejection LAST_OWNER */
  async remove(organizationId: string, userId: string, context: CommandContext): Promise<void> {
    // both headers are about the request that asks for this, not about the commands that it leads to
    const own = { ...context, idempotencyKey: undefined, expectedRevision: undefined, deadline: undefined };
    const removing = { type: 'RemoveMember', body: { userId }, run: () => ({ answer: deletionResult }) };
    if (this.registry.member(organizationId, userId))
      await this.commands.execute(new ActOnRecord(Organizations, organizationId, removing, own));
    await this.records.deleteOf(organizationId, userId, own);
    await this.grants.revokeIn(organizationId, userId, 'departure', own);
  }
}

@ApiTags('Accounts')
@Controller('v1/auth')
@Requires('person')
@Budget('accounts')
@UseGuards(OwnPagesGuard)
class AccountDeletionController {
  constructor(
    private readonly accounts: Accounts,
    private readonly departures: Departures,
    private readonly deletion: AccountDeletion,
  ) {}

  @Post('delete-user')
  @Refuses('CONFLICT')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Delete the own account',
    description:
      'Revokes the grants of the person, removes them from their organizations, and deletes the account with its sessions. The last owner of an organization is refused. What the person did stays in the audit logs of these organizations until an owner erases the person there (`POST /v1/erasures`).',
  })
  @ApiOkResponse({ type: DoneDto })
  async delete(
    @Body() { currentPassword }: DeleteUserDto,
    @Headers('cookie') cookie: string | undefined,
    @RequestContext() context: CommandContext,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlainData<DoneDto>> {
    await this.accounts.assertPassword(cookie, currentPassword);
    const { id } = userOf(context.caller);
    const organizationIds = await this.departures.organizationsOf(id);
    this.departures.assertOtherOwners(organizationIds, id);
    for (const organizationId of organizationIds) await this.departures.remove(organizationId, id, context);
    await this.deletion.delete(id);
    const request = { headers: cookieHeaders(cookie), returnHeaders: true as const };
    setCookies(reply, (await this.accounts.call((api) => api.signOut(request))).headers);
    return { success: true };
  }
}

/** Lets a person leave an organization, or go altogether. */
@Module({
  imports: [AccountsModule, DestinationsModule, ResourcesModule, OAuthModule, OrganizationsModule],
  controllers: [AccountDeletionController],
  providers: [AccountDeletion, Departures],
  exports: [AccountDeletion, Departures],
})
export class AccountDeletionModule {}
