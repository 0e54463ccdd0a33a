import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { ChangeMonitorHandler } from './change-monitor.command';
import { CreateMonitorHandler } from './create-monitor.command';
import { GetStatusHandler, ListMonitorsHandler } from './get-status.query';
import { HeaderSealing } from './header-sealing';
import { ManagedMonitors } from './managed-monitors';
import { MonitorStatuses } from './monitor-statuses';
import { MonitorsController } from './monitors.controller';

/** Checks of addresses. */
@Module({
  imports: [CommandsModule],
  controllers: [MonitorsController],
  providers: [
    ManagedMonitors,
    MonitorStatuses,
    HeaderSealing,
    CreateMonitorHandler,
    ChangeMonitorHandler,
    ListMonitorsHandler,
    GetStatusHandler,
  ],
  exports: [ManagedMonitors, MonitorStatuses],
})
export class MonitorsModule {}
