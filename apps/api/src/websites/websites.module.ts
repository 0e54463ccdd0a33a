import { Module } from '@nestjs/common';
import { ResourcesModule } from '../resources/resources.module';
import { Websites } from './websites';
import { WebsitesController } from './websites.controller';

@Module({
  imports: [ResourcesModule],
  controllers: [WebsitesController],
  providers: [Websites],
})
export class WebsitesModule {}
