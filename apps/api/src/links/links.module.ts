import { Module } from '@nestjs/common';
import { ResourcesModule } from '../resources/resources.module';
import { CreateLinksHandler } from './create-links.command';
import { LinkAddresses, Links } from './links';
import { LinkBatchesController, LinksController, PagePreviewsController } from './links.controller';
import { ListLinksHandler, RegistryPosition } from './list-links.query';
import { PreviewPageHandler } from './page-preview.query';
import { CheckSlugHandler, SlugReservations } from './slug-reservations';

@Module({
  imports: [ResourcesModule],
  controllers: [LinkBatchesController, PagePreviewsController, LinksController],
  providers: [
    SlugReservations,
    LinkAddresses,
    Links,
    RegistryPosition,
    CreateLinksHandler,
    ListLinksHandler,
    CheckSlugHandler,
    PreviewPageHandler,
  ],
})
export class LinksModule {}
