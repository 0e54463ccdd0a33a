import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { ChangeLinkHandler } from './change-link.command';
import { CheckSlugHandler } from './check-slug.query';
import { CreateLinkHandler } from './create-link.command';
import { CreateLinksHandler } from './create-links.command';
import { FindLinkHandler } from './find-link.query';
import { LinkBatchesController } from './link-batches.controller';
import { LinkCreation } from './link-creation';
import { LinksController } from './links.controller';
import { LinkTargets } from './link-targets';
import { ListLinksHandler } from './list-links.query';
import { ManagedLinks } from './managed-links';
import { RegistryPosition } from './registry-position';
import { SlugReservations } from './slug-reservations';

@Module({
  imports: [CommandsModule],
  controllers: [LinkBatchesController, LinksController],
  providers: [
    SlugReservations,
    LinkCreation,
    LinkTargets,
    ManagedLinks,
    RegistryPosition,
    CreateLinkHandler,
    CreateLinksHandler,
    ChangeLinkHandler,
    ListLinksHandler,
    FindLinkHandler,
    CheckSlugHandler,
  ],
})
export class LinksModule {}
