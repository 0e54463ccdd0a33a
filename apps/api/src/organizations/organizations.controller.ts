import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { PersonalDataBySubject } from '@ledgerline/platform/personal-data/personal-data-cipher';
import {
  type CommandContext,
  type CommandResult,
  CurrentCommandContext,
  Deletes,
  deletionResult,
} from '../commands/command-context';
import { ActOnRecord, ChangeRecord, CreateRecord, OwnRecords } from '../commands/resource.commands';
import { FindRecord, Records } from '../commands/resource.queries';
import { ApiList, type ListAnswer, type PlainData, listOf } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { People } from '../identity/accounts/people';
import {
  ChangeMemberDto,
  CreateOrganizationDto,
  MemberDto,
  OrganizationDto,
  UpdateOrganizationDto,
  memberDto,
  memberIn,
} from './organization.dto';
import { Organizations } from './organizations';

@ApiTags('Organizations')
@Controller('v1/organizations')
@Requires('person')
export class OrganizationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly organizations: Organizations,
    private readonly registry: Registry,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an organization with the caller as its owner' })
  @ApiCreatedResponse({ type: OrganizationDto })
  create(
    @Body() body: CreateOrganizationDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<OrganizationDto>>> {
    return this.commands.execute(new CreateRecord(Organizations, body, context));
  }

  @Get()
  @ApiOperation({ summary: 'The organizations of the caller' })
  @ApiList(OrganizationDto)
  list(@CurrentCaller() caller: Caller): ListAnswer<PlainData<OrganizationDto>> {
    const ids = caller.kind === 'user' ? [...caller.roles.keys()] : [];
    const found = ids.flatMap((id) => this.organizations.entry(() => this.registry, id) ?? []);
    return listOf(this.organizations.records(found));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One organization' })
  @ApiOkResponse({ type: OrganizationDto })
  one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<PlainData<OrganizationDto>> {
    return this.queries.execute(new FindRecord(Organizations, id, caller));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change an organization', description: 'For owners and admins of the organization.' })
  @ApiOkResponse({ type: OrganizationDto })
  update(
    @Param('id') id: string,
    @Body() body: UpdateOrganizationDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<OrganizationDto> | null>> {
    return this.commands.execute(new ChangeRecord(Organizations, id, body, context));
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Delete an organization with its websites, links, keys and members',
    description: 'For owners of the organization.',
  })
  @Deletes()
  delete(
    @Param('id') id: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<OrganizationDto> | null>> {
    return this.commands.execute(new ChangeRecord(Organizations, id, null, context));
  }
}

@ApiTags('Members')
@Controller('v1/organizations/:id/members')
@Requires('person')
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: Organizations,
    private readonly found: Records,
    private readonly registry: Registry,
    private readonly people: People,
    private readonly own: OwnRecords,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The members of an organization, in the order in which they joined' })
  @ApiList(MemberDto)
  async list(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<ListAnswer<PlainData<MemberDto>>> {
    const { revision } = await this.found.find(this.organizations, id, caller, 'members:read');
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
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<MemberDto>>> {
    const personal = await this.personalOf(id, userId);
    const run = () => ({ answer: (registry: () => Registry) => memberIn(registry(), id, userId), personal });
    const changing = { type: 'ChangeMemberRole', body: { userId, role }, run };
    const written = await this.commands.execute(new ActOnRecord(Organizations, id, changing, context));
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
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<null>> {
    const personal = await this.personalOf(id, userId);
    const removing = { type: 'RemoveMember', body: { userId }, run: () => ({ answer: deletionResult, personal }) };
    const written = await this.commands.execute(new ActOnRecord(Organizations, id, removing, context));
    await this.own.deleteOf(id, userId, context);
    return written;
  }

  /** Name and address by which the audit log shows whom an event is about. */
  private async personalOf(organizationId: string, userId: string): Promise<PersonalDataBySubject> {
    const isMember = this.registry.member(organizationId, userId) !== undefined;
    const person = isMember ? (await this.people.find([userId])).get(userId) : undefined;
    return new Map(person && [[userId, { name: person.name, email: person.email }]]);
  }
}
