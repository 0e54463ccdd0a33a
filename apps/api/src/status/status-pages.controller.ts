import { Body, Controller, Delete, Get, Module, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '@ledgerline/domain/access/caller';
import { type CommandContext, type CommandResult, CurrentCommandContext, Deletes } from '../commands/command-context';
import { ChangeRecord, CreateRecord } from '../commands/resource.commands';
import { ResourcesModule, accessOf, resourceController } from '../commands/resource.controller';
import { Records } from '../commands/resource.queries';
import { ApiList, type ListAnswer, type PlainData, listOf } from '../http/record.dto';
import { CurrentCaller, Refuses, Requires } from '../http/route';
import { CreateIncidentDto, IncidentDto, UpdateIncidentDto, incidentChanges, newIncident } from './incident.dto';
import { Incidents } from './incidents';
import { MonitorsModule } from './monitors.controller';
import { PublicStatusPagesController, StatusViewController } from './public/status-pages.controller';
import { StatusReports } from './public/status-reports';
import { CreateStatusPageDto, StatusPageDto, StatusPages, UpdateStatusPageDto } from './status-pages';

const ACCESS = accessOf('statusPages');

/** Routes for what people report on a status page; downtimes of its monitors are reported by themselves. */
@ApiTags('Status pages')
@Controller('v1/status-pages/:id/incidents')
class IncidentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly pages: StatusPages,
    private readonly incidents: Incidents,
    private readonly found: Records,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Report an incident, or a planned maintenance', description: ACCESS.changers })
  @Requires(...ACCESS.writes)
  @ApiCreatedResponse({ type: IncidentDto })
  async create(
    @Param('id') id: string,
    @Body() body: CreateIncidentDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<IncidentDto>>> {
    const { organizationId } = await this.found.find(this.pages, id, context.caller, this.pages.writes);
    const incident = { ...newIncident(body), organizationId, statusPageId: id };
    return this.commands.execute(new CreateRecord(Incidents, incident, context));
  }

  @Get()
  @ApiOperation({ summary: 'The incidents of a status page that people have reported', description: ACCESS.readers })
  @Requires(...ACCESS.reads)
  @ApiList(IncidentDto)
  async list(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<ListAnswer<PlainData<IncidentDto>>> {
    const page = await this.found.find(this.pages, id, caller);
    return listOf(this.incidents.records(this.pages.incidentsOf(page)));
  }

  @Patch(':incidentId')
  @ApiOperation({ summary: 'Change an incident, or report how it goes on', description: ACCESS.changers })
  @Requires(...ACCESS.writes)
  @ApiOkResponse({ type: IncidentDto })
  async update(
    @Param('id') id: string,
    @Param('incidentId') incidentId: string,
    @Body() body: UpdateIncidentDto,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<IncidentDto> | null>> {
    await this.assertIsOf(id, incidentId, context.caller);
    return this.commands.execute(new ChangeRecord(Incidents, incidentId, incidentChanges(body), context));
  }

  @Delete(':incidentId')
  @ApiOperation({ summary: 'Delete an incident', description: ACCESS.changers })
  @Requires(...ACCESS.writes)
  @Deletes()
  async delete(
    @Param('id') id: string,
    @Param('incidentId') incidentId: string,
    @CurrentCommandContext() context: CommandContext,
  ): Promise<CommandResult<PlainData<IncidentDto> | null>> {
    await this.assertIsOf(id, incidentId, context.caller);
    return this.commands.execute(new ChangeRecord(Incidents, incidentId, null, context));
  }

  /** @throws Problem NOT_FOUND or FORBIDDEN unless the caller may change the page, and the incident is of it */
  private async assertIsOf(pageId: string, incidentId: string, caller: Caller): Promise<void> {
    const page = await this.found.find(this.pages, pageId, caller, this.pages.writes);
    await this.pages.findIncident(page, incidentId);
  }
}

@ApiTags('Status pages')
@Controller('v1/status-pages')
class StatusPagesController extends resourceController({
  resource: StatusPages,
  create: CreateStatusPageDto,
  update: UpdateStatusPageDto,
  record: StatusPageDto,
  ...ACCESS,
  creation: Refuses('CONFLICT'),
  summaries: {
    create: 'Create a status page',
    list: 'The status pages of an organization',
    one: 'One status page',
    update: 'Change a status page',
    delete: 'Delete a status page; its slug stays the organization’s',
  },
}) {}

/** Pages on which organizations show how their systems are. */
@Module({
  imports: [ResourcesModule, MonitorsModule],
  controllers: [StatusPagesController, IncidentsController, PublicStatusPagesController, StatusViewController],
  providers: [StatusPages, Incidents, StatusReports],
})
export class StatusPagesModule {}
