import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Mailer } from '../accounts/mailer';
import { deleted, Context, Deletes, type CommandContext, type CommandResult } from '../commands/command-context';
import { ApiList, listOf, type List, type Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { People } from '../accounts/people';
import { ChangeOrganization } from './organization.commands';
import { InvitationDto, InviteMemberDto, MemberDto, memberDto } from './organization.dto';
import { AcceptInvitation, InviteMember } from './invitation.commands';
import { ManagedOrganizations } from './managed-organizations';
import { PendingInvitations } from './pending-invitations';

const description =
  'For owners and admins of the organization; only owners may invite, or revoke the invitation of, owners.';

@ApiTags('Invitations')
@Controller('v1/organizations/:id/invitations')
@Requires('person')
export class InvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: ManagedOrganizations,
    private readonly invitations: PendingInvitations,
    private readonly mailer: Mailer,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Invite a person by e-mail; valid for seven days', description })
  @ApiCreatedResponse({ type: InvitationDto })
  async invite(
    @Param('id') id: string,
    @Body() { email, role }: InviteMemberDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<InvitationDto>>> {
    const written = await this.commands.execute(new InviteMember(id, { email, role }, context));
    const answer = written.as(({ invitation, organization }) =>
      this.invitations.record(invitation, organization.name, email),
    );
    if (!written.replayed) this.mailer.send(this.invitations.mail(email, answer.entry));
    return answer;
  }

  @Get()
  @ApiOperation({ summary: 'The pending invitations of an organization', description })
  @ApiList(InvitationDto)
  async list(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<List<Plain<InvitationDto>>> {
    await this.organizations.find(id, caller, 'members:invite');
    return listOf(await this.invitations.of(id));
  }

  @Delete(':invitationId')
  @ApiOperation({ summary: 'Revoke an invitation', description })
  @Deletes()
  revoke(
    @Param('id') id: string,
    @Param('invitationId') invitationId: string,
    @Context() context: CommandContext,
  ): Promise<CommandResult<null>> {
    const change = (by: string) => ({ type: 'RevokeInvitation', data: { invitationId, by } }) as const;
    const revision = (registry: Registry) => registry.invitation(invitationId)?.revision;
    return this.commands.execute(new ChangeOrganization(id, change, { answer: deleted, revision }, context));
  }
}

@ApiTags('Invitations')
@Controller('v1/invitations')
@Requires('person')
export class OwnInvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly people: People,
  ) {}

  @Post(':invitationId/accept')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Become a member: for the account with the invited address that knows the id from the mail',
  })
  @ApiOkResponse({ type: MemberDto })
  async accept(
    @Param('invitationId') id: string,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<MemberDto>>> {
    const written = await this.commands.execute(new AcceptInvitation(id, context));
    const people = await this.people.find([written.entry.userId]);
    return written.as((member) => memberDto(member, people.get(member.userId)));
  }
}
