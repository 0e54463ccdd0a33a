import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { ChangeMonitorHandler } from './change-monitor.command';
import { CreateMonitorHandler } from './create-monitor.command';
import { HeaderSealing } from './header-sealing';
import { ManagedMonitors } from './managed-monitors';
import { MonitorsController } from './monitors.controller';

/** Checks of addresses. */
@Module({
  imports: [CommandsModule],
  controllers: [MonitorsController],
  providers: [ManagedMonitors, HeaderSealing, CreateMonitorHandler, ChangeMonitorHandler],
  exports: [ManagedMonitors],
})
export class MonitorsModule {}
