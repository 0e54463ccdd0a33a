import { Body, Controller, Delete, Get, Param, Patch } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { PersonalDataBySubject } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { CommandBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { People } from '../accounts/people';
import { deleted, Context, Deletes, type CommandContext, type CommandResult } from '../commands/command-context';
import { ApiList, listOf, type List, type Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { ChangeOrganization } from './organization.commands';
import { ManagedOrganizations } from './managed-organizations';
import { ChangeMemberDto, MemberDto, memberDto, memberIn } from './organization.dto';

@ApiTags('Members')
@Controller('v1/organizations/:id/members')
@Requires('person')
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: ManagedOrganizations,
    private readonly registry: Registry,
    private readonly people: People,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The members of an organization, in the order in which they joined' })
  @ApiList(MemberDto)
  async list(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<List<Plain<MemberDto>>> {
    const { revision } = await this.organizations.find(id, caller, 'members:read');
    const members = this.registry.membersOf(id);
    const people = await this.people.find(members.map(({ userId }) => userId));
    return listOf(members.map((member) => memberDto({ ...member, revision }, people.get(member.userId))));
  }

  @Patch(':userId')
  @ApiOperation({
    summary: 'Change the role of a member',
    description: 'For owners of the organization. Its last owner cannot get another role.',
  })
  @ApiOkResponse({ type: MemberDto })
  async changeRole(
    @Param('id') id: string,
    @Param('userId') userId: string,
    @Body() { role }: ChangeMemberDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<MemberDto>>> {
    const change = (by: string) => ({ type: 'ChangeMemberRole', data: { userId, role, by } }) as const;
    const answer = (registry: () => Registry) => memberIn(registry(), id, userId);
    const entry = { answer, personal: await this.personalOf(id, userId) };
    const written = await this.commands.execute(new ChangeOrganization(id, change, entry, context));
    const people = await this.people.find([userId]);
    return written.as((member) => memberDto(member, people.get(userId)));
  }

  @Delete(':userId')
  @ApiOperation({
    summary: 'Remove a member, or leave',
    description:
      'For owners and admins of the organization, and for every member to leave it. Admins cannot remove owners, and the last owner cannot go.',
  })
  @Deletes()
  async remove(
    @Param('id') id: string,
    @Param('userId') userId: string,
    @Context() context: CommandContext,
  ): Promise<CommandResult<null>> {
    const change = (by: string) => ({ type: 'RemoveMember', data: { userId, by } }) as const;
    const personal = await this.personalOf(id, userId);
    return this.commands.execute(new ChangeOrganization(id, change, { answer: deleted, personal }, context));
  }

  /** Name and address by which the audit log shows whom an event is about. */
  private async personalOf(organizationId: string, userId: string): Promise<PersonalDataBySubject> {
    const isMember = this.registry.member(organizationId, userId) !== undefined;
    const person = isMember ? (await this.people.find([userId])).get(userId) : undefined;
    return new Map(person && [[userId, { name: person.name, email: person.email }]]);
  }
}
