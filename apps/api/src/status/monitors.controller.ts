import { Controller, Get, Module, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ResourcesModule, accessOf, resourceController } from '../commands/resource.controller';
import { type ListAnswer, OrganizationListDto, listOf } from '../http/record.dto';
import { CurrentCaller, Requires } from '../http/route';
import { GetStatus, GetStatusHandler, MONITOR_REPORTS, type MonitorReport, MonitorStatuses } from './monitor-statuses';
import { CreateMonitorDto, MonitorDto, Monitors, UpdateMonitorDto } from './monitors';

const ACCESS = accessOf('monitors');

@ApiTags('Monitors')
@Controller('v1/monitors')
class MonitorsController extends resourceController({
  resource: Monitors,
  create: CreateMonitorDto,
  update: UpdateMonitorDto,
  record: MonitorDto,
  ...ACCESS,
  summaries: {
    create: 'Create a monitor, which checks an address from now on',
    list: 'The monitors of an organization',
    one: 'One monitor',
    update: 'Change, pause or resume a monitor',
    delete: 'Delete a monitor: it is checked no longer',
  },
}) {
  @Get('status')
  @ApiOperation({
    summary: 'How the monitors of an organization are now, and were on the last 90 days',
    description: ACCESS.readers,
  })
  @Requires(...ACCESS.reads)
  @ApiOkResponse({ schema: MONITOR_REPORTS })
  async status(
    @Query() { organizationId }: OrganizationListDto,
    @CurrentCaller() caller: Caller,
  ): Promise<ListAnswer<MonitorReport>> {
    return listOf((await this.queries.execute(new GetStatus(organizationId, caller))).monitors);
  }
}

/** Checks of addresses. */
@Module({
  imports: [ResourcesModule],
  controllers: [MonitorsController],
  providers: [Monitors, MonitorStatuses, GetStatusHandler],
  exports: [MonitorStatuses],
})
export class MonitorsModule {}
