import { Controller, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Refuses } from '../http/route';
import { ResourcesModule, resourceController } from '../resources/resource.controller';
import {
  CHANGERS,
  CreateStatusPageDto,
  READERS,
  StatusPageDto,
  StatusPages,
  UpdateStatusPageDto,
} from './status-pages';
import { MonitorsModule } from '../monitors/monitors.controller';
import { ChangeIncidentHandler, CreateIncidentHandler } from './incident.commands';
import { IncidentsController } from './incidents.controller';
import { PublicStatusPagesController, StatusViewController } from './public/status-pages.controller';
import { StatusReports } from './public/status-reports';

@ApiTags('Status pages')
@Controller('v1/status-pages')
class StatusPagesController extends resourceController({
  resource: StatusPages,
  create: CreateStatusPageDto,
  update: UpdateStatusPageDto,
  record: StatusPageDto,
  reads: ['read:data', 'person'],
  writes: ['write:data', 'person'],
  readers: READERS,
  changers: CHANGERS,
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
  providers: [StatusPages, StatusReports, CreateIncidentHandler, ChangeIncidentHandler],
})
export class StatusPagesModule {}
