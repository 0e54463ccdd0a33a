import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module';
import { QueryModule } from '../query/http/query.module';
import { ResourcesModule } from '../resources/resources.module';
import { ShareViewController } from './public/share-view.controller';
import { SharedDashboards } from './public/shared-dashboards';
import { Shares } from './shares';
import { SharesController } from './shares.controller';

/** Statistics of websites for people without an account. */
@Module({
  imports: [ResourcesModule, QueryModule, LimitsModule],
  controllers: [SharesController, ShareViewController],
  providers: [Shares, SharedDashboards],
})
export class SharesModule {}
