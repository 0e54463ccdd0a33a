import type { Flag } from '@ledgerline/contracts/records';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, type CommandContext } from '../commands/command-context';
import { Deletes, type CommandResult } from '../commands/command-result';
import { ApiEntityTag, TaggedAnswer } from '../http/entity-tag';
import { Id } from '../http/fields';
import { ApiList, listOf, OrganizationListDto, type List } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { ChangeFlag } from './change-flag.command';
import { CreateFlag } from './create-flag.command';
import { CreateFlagDto, flagChanges, newFlag, UpdateFlagDto } from './flag-settings.dto';
import { FlagDto, flagDto } from './flag.dto';
import { ListFlags } from './list-flags.query';
import { ManagedFlags } from './managed-flags';

const CHANGERS = 'For keys with `manage:flags` on its website or everything, and people who are owner or admin.';
const READERS = 'For keys with `manage:flags` on its website or everything, and members of the organization.';

export class ListFlagsDto extends OrganizationListDto {
  @Id('Only flags of this website', { optional: true })
  websiteId?: string;
}

@ApiTags('Flags')
@Controller('v1/flags')
@Requires('manage:flags', 'person')
export class FlagsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly flags: ManagedFlags,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create a feature flag', description: CHANGERS })
  @ApiCreatedResponse({ type: FlagDto })
  async create(
    @Body() body: CreateFlagDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<FlagDto>>> {
    const written = await this.commands.execute(new CreateFlag(newFlag(body), context));
    const record = await this.record(written.entry);
    return written.as(() => record);
  }

  @Get()
  @ApiOperation({ summary: 'The feature flags of an organization that the caller may read', description: READERS })
  @ApiEntityTag()
  @ApiList(FlagDto)
  async list(
    @Query() wanted: ListFlagsDto,
    @CurrentCaller() caller: Caller,
  ): Promise<TaggedAnswer<List<Plain<FlagDto>>>> {
    return new TaggedAnswer(listOf((await this.queries.execute(new ListFlags(wanted, caller))).map(flagDto)));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One feature flag', description: READERS })
  @ApiEntityTag()
  @ApiOkResponse({ type: FlagDto })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<TaggedAnswer<Plain<FlagDto>>> {
    const record = await this.record(await this.flags.find(id, caller, 'flags:read'));
    return new TaggedAnswer(record, { tag: String(record.revision) });
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change a feature flag; clients get it as it is from then on', description: CHANGERS })
  @ApiOkResponse({ type: FlagDto })
  async update(
    @Param('id') id: string,
    @Body() body: UpdateFlagDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<FlagDto> | null>> {
    const written = await this.commands.execute(new ChangeFlag(id, flagChanges(body), context));
    const record = written.entry && (await this.record(written.entry));
    return written.as(() => record);
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Delete a feature flag: clients do not find it, and its key is free for another',
    description: CHANGERS,
  })
  @Deletes()
  delete(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<Flag | null>> {
    return this.commands.execute(new ChangeFlag(id, null, context));
  }

  private async record(flag: Flag): Promise<Plain<FlagDto>> {
    const [opened] = await this.flags.open([flag]);
    if (!opened) throw new Error('A flag was lost while it was opened.');
    return flagDto(opened);
  }
}
