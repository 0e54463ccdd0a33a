import { Module } from '@nestjs/common';
import { ResourcesModule } from '../resources/resources.module';
import { Favicons, FindFaviconHandler } from './favicons';
import { Websites } from './websites';
import { WebsitesController } from './websites.controller';

@Module({
  imports: [ResourcesModule],
  controllers: [WebsitesController],
  providers: [Websites, Favicons, FindFaviconHandler],
  exports: [Favicons],
})
export class WebsitesModule {}
