import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { RegisterWebsiteHandler } from './register-website.command';
import { WebsitesController } from './websites.controller';

@Module({ imports: [CommandsModule], controllers: [WebsitesController], providers: [RegisterWebsiteHandler] })
export class WebsitesModule {}
