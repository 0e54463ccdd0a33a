import { Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../http/route';
import { type CommandContext, type CommandResult, Context, Deletes, deleted } from '../commands/command-context';
import { sent } from '../http/fields';
import { ApiList, type List, type Plain, listOf } from '../http/record.dto';
import { ChangeOrganization, CreateOrganization, ManagedOrganizations } from './organization.commands';
import {
  ChangeMemberDto,
  CreateOrganizationDto,
  MemberDto,
  OrganizationDto,
  UpdateOrganizationDto,
  memberDto,
  memberIn,
  organizationDto,
} from './organization.dto';
import type { PersonalDataBySubject } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { People } from '../accounts/people';
import { SavedViews } from '../saved-views/saved-views';

@ApiTags('Organizations')
@Controller('v1/organizations')
@Requires('person')
export class OrganizationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: ManagedOrganizations,
    private readonly registry: Registry,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create an organization with the caller as its owner' })
  @ApiCreatedResponse({ type: OrganizationDto })
  async create(
    @Body() body: CreateOrganizationDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<OrganizationDto>>> {
    const written = await this.commands.execute(new CreateOrganization({ name: body.name }, context));
    return written.as(organizationDto);
  }

  @Get()
  @ApiOperation({ summary: 'The organizations of the caller' })
  @ApiList(OrganizationDto)
  list(@CurrentCaller() caller: Caller): List<Plain<OrganizationDto>> {
    const ids = caller.kind === 'user' ? [...caller.roles.keys()] : [];
    return listOf(ids.flatMap((id) => this.registry.organization(id) ?? []).map(organizationDto));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One organization' })
  @ApiOkResponse({ type: OrganizationDto })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<OrganizationDto>> {
    return organizationDto(await this.organizations.find(id, caller, 'organizations:read'));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change an organization', description: 'For owners and admins of the organization.' })
  @ApiOkResponse({ type: OrganizationDto })
  async update(
    @Param('id') id: string,
    @Body() { name }: UpdateOrganizationDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<OrganizationDto>>> {
    const change = (by: string) => ({ type: 'UpdateOrganization', data: { changes: sent({ name }), by } }) as const;
    const answer = (registry: () => Registry) => registry().organization(id);
    const written = await this.commands.execute(new ChangeOrganization(id, change, { answer }, context));
    return written.as(organizationDto);
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Delete an organization with its websites, links, keys and members',
    description: 'For owners of the organization.',
  })
  @Deletes()
  delete(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<null>> {
    const change = (by: string) => ({ type: 'DeleteOrganization', data: { by } }) as const;
    return this.commands.execute(new ChangeOrganization(id, change, { answer: deleted }, context));
  }
}

@ApiTags('Members')
@Controller('v1/organizations/:id/members')
@Requires('person')
export class MembersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly organizations: ManagedOrganizations,
    private readonly registry: Registry,
    private readonly people: People,
    private readonly views: SavedViews,
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
    const written = await this.commands.execute(
      new ChangeOrganization(id, change, { answer: deleted, personal }, context),
    );
    await this.views.deleteOf(id, userId, context);
    return written;
  }

  /** Name and address by which the audit log shows whom an event is about. */
  private async personalOf(organizationId: string, userId: string): Promise<PersonalDataBySubject> {
    const isMember = this.registry.member(organizationId, userId) !== undefined;
    const person = isMember ? (await this.people.find([userId])).get(userId) : undefined;
    return new Map(person && [[userId, { name: person.name, email: person.email }]]);
  }
}
