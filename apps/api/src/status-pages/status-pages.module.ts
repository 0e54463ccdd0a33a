import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { MonitorsModule } from '../monitors/monitors.module';
import { ChangeStatusPageHandler } from './change-status-page.command';
import { CreateStatusPageHandler } from './create-status-page.command';
import { ChangeIncidentHandler, CreateIncidentHandler } from './incident.commands';
import { IncidentsController } from './incidents.controller';
import { ManagedStatusPages } from './managed-status-pages';
import { PublicStatusPagesController } from './public/public-status-pages.controller';
import { StatusReports } from './public/status-reports';
import { StatusViewController } from './public/status-view.controller';
import { StatusPagesController } from './status-pages.controller';

/** Pages on which organizations show how their systems are. */
@Module({
  imports: [CommandsModule, MonitorsModule],
  controllers: [StatusPagesController, IncidentsController, PublicStatusPagesController, StatusViewController],
  providers: [
    ManagedStatusPages,
    StatusReports,
    CreateStatusPageHandler,
    ChangeStatusPageHandler,
    CreateIncidentHandler,
    ChangeIncidentHandler,
  ],
})
export class StatusPagesModule {}
