import { Module } from '@nestjs/common';
import { MonitorsModule } from '../monitors/monitors.module';
import { ResourcesModule } from '../resources/resources.module';
import { ChangeIncidentHandler, CreateIncidentHandler } from './incident.commands';
import { IncidentsController } from './incidents.controller';
import { PublicStatusPagesController, StatusViewController } from './public/status-pages.controller';
import { StatusReports } from './public/status-reports';
import { StatusPages } from './status-pages';
import { StatusPagesController } from './status-pages.controller';

/** Pages on which organizations show how their systems are. */
@Module({
  imports: [ResourcesModule, MonitorsModule],
  controllers: [StatusPagesController, IncidentsController, PublicStatusPagesController, StatusViewController],
  providers: [StatusPages, StatusReports, CreateIncidentHandler, ChangeIncidentHandler],
})
export class StatusPagesModule {}
