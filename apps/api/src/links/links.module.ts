import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { CreateLinkHandler } from './create-link.command';
import { LinksController } from './links.controller';
import { ListLinksHandler } from './list-links.query';

@Module({
  imports: [CommandsModule],
  controllers: [LinksController],
  providers: [CreateLinkHandler, ListLinksHandler],
})
export class LinksModule {}
