import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { People } from '../accounts/people';
import { Context, type CommandContext } from '../commands/command-context';
import type { Written } from '../commands/written';
import { ApiList, type List, listOf } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { AcceptInvitation } from './accept-invitation.command';
import { InvitationDto } from './invitation.dto';
import { userOf } from './managed-organizations';
import { MemberDto, memberDto } from './member.dto';
import { PendingInvitations } from './pending-invitations';

@ApiTags('Invitations')
@Controller('v1/invitations')
@Requires('person')
export class OwnInvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly invitations: PendingInvitations,
    private readonly people: People,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The pending invitations to the address of the caller' })
  @ApiList(InvitationDto)
  async list(@CurrentCaller() caller: Caller): Promise<List<Plain<InvitationDto>>> {
    return listOf(await this.invitations.to(userOf(caller).id));
  }

  @Post(':invitationId/accept')
  @HttpCode(200)
  @ApiOperation({ summary: 'Become a member; only for the account with the invited address' })
  @ApiOkResponse({ type: MemberDto })
  async accept(
    @Param('invitationId') id: string,
    @Context() context: CommandContext,
  ): Promise<Written<Plain<MemberDto>>> {
    const written = await this.commands.execute(new AcceptInvitation(id, context));
    const people = await this.people.find([written.entry.userId]);
    return written.as((member) => memberDto(member, people.get(member.userId)));
  }
}
