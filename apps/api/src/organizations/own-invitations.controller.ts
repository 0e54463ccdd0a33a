import { Controller, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { People } from '../accounts/people';
import { Context, type CommandContext } from '../commands/command-context';
import type { CommandResult } from '../commands/command-result';
import type { Plain } from '../http/record.dto';
import { Requires } from '../http/route';
import { AcceptInvitation } from './accept-invitation.command';
import { MemberDto, memberDto } from './member.dto';

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
