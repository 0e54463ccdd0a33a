import { Module } from '@nestjs/common';
import { ResourcesModule } from '../resources/resources.module';
import { GetStatusHandler } from './get-status.query';
import { MonitorStatuses } from './monitor-statuses';
import { Monitors } from './monitors';
import { MonitorsController } from './monitors.controller';

/** Checks of addresses. */
@Module({
  imports: [ResourcesModule],
  controllers: [MonitorsController],
  providers: [Monitors, MonitorStatuses, GetStatusHandler],
  exports: [MonitorStatuses],
})
export class MonitorsModule {}
