import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { ChangeWebsiteHandler } from './change-website.command';
import { ManagedWebsites } from './managed-websites';
import { RegisterWebsiteHandler } from './register-website.command';
import { WebsitesController } from './websites.controller';

@Module({
  imports: [CommandsModule],
  controllers: [WebsitesController],
  providers: [ManagedWebsites, RegisterWebsiteHandler, ChangeWebsiteHandler],
  exports: [ManagedWebsites],
})
export class WebsitesModule {}
