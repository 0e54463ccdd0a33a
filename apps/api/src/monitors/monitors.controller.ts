import type { Monitor } from '@ledgerline/contracts/records';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Context, type CommandContext } from '../commands/command-context';
import { Deletes, type CommandResult } from '../commands/command-result';
import { ApiList, listOf, OrganizationListDto, type List } from '../http/list.dto';
import type { Plain } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { ChangeMonitor } from './change-monitor.command';
import { CreateMonitor } from './create-monitor.command';
import { GetStatus } from './get-status.query';
import { ManagedMonitors } from './managed-monitors';
import { MONITOR_REPORTS } from './monitor-report.dto';
import type { MonitorReport } from './monitor-statuses';
import { CreateMonitorDto, monitorChanges, newMonitor, UpdateMonitorDto } from './monitor-settings.dto';
import { MonitorDto, monitorDto } from './monitor.dto';

const CHANGERS = 'For keys with `write:data` on everything, and people who are owner or admin.';
const READERS = 'For keys with `read:data` on everything, and members of the organization.';

@ApiTags('Monitors')
@Controller('v1/monitors')
export class MonitorsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly monitors: ManagedMonitors,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Create a monitor, which checks an address from now on', description: CHANGERS })
  @Requires('write:data', 'person')
  @ApiCreatedResponse({ type: MonitorDto })
  async create(
    @Body() body: CreateMonitorDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<MonitorDto>>> {
    const written = await this.commands.execute(new CreateMonitor(newMonitor(body), context));
    return written.as(monitorDto);
  }

  @Get()
  @ApiOperation({ summary: 'The monitors of an organization', description: READERS })
  @Requires('read:data', 'person')
  @ApiList(MonitorDto)
  list(@Query() { organizationId }: OrganizationListDto, @CurrentCaller() caller: Caller): List<Plain<MonitorDto>> {
    return listOf(this.monitors.of(organizationId, caller).map(monitorDto));
  }

  @Get('status')
  @ApiOperation({
    summary: 'How the monitors of an organization are now, and were on the last 90 days',
    description: READERS,
  })
  @Requires('read:data', 'person')
  @ApiOkResponse({ schema: MONITOR_REPORTS })
  async status(
    @Query() { organizationId }: OrganizationListDto,
    @CurrentCaller() caller: Caller,
  ): Promise<List<MonitorReport>> {
    return listOf((await this.queries.execute(new GetStatus(organizationId, caller))).monitors);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One monitor', description: READERS })
  @Requires('read:data', 'person')
  @ApiOkResponse({ type: MonitorDto })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<Plain<MonitorDto>> {
    return monitorDto(await this.monitors.find(id, caller, 'monitors:read'));
  }

  @Patch(':id')
  @ApiOperation({ summary: 'Change, pause or resume a monitor', description: CHANGERS })
  @Requires('write:data', 'person')
  @ApiOkResponse({ type: MonitorDto })
  async update(
    @Param('id') id: string,
    @Body() body: UpdateMonitorDto,
    @Context() context: CommandContext,
  ): Promise<CommandResult<Plain<MonitorDto> | null>> {
    const written = await this.commands.execute(new ChangeMonitor(id, monitorChanges(body), context));
    return written.as((monitor) => monitor && monitorDto(monitor));
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete a monitor: it is checked no longer', description: CHANGERS })
  @Requires('write:data', 'person')
  @Deletes()
  delete(@Param('id') id: string, @Context() context: CommandContext): Promise<CommandResult<Monitor | null>> {
    return this.commands.execute(new ChangeMonitor(id, null, context));
  }
}
