import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { WebsitesModule } from '../websites/websites.module';
import { ChangeFlagHandler } from './change-flag.command';
import { CreateFlagHandler } from './create-flag.command';
import { FlagsController } from './flags.controller';
import { ListFlagsHandler } from './list-flags.query';
import { ManagedFlags } from './managed-flags';
import { OfrepController } from './public/ofrep.controller';
import { PublicFlags } from './public/public-flags';
import { PublicFlagsController } from './public/public-flags.controller';
import { RuleSealing } from './rule-sealing';

/** Feature flags. */
@Module({
  imports: [CommandsModule, WebsitesModule],
  controllers: [FlagsController, PublicFlagsController, OfrepController],
  providers: [PublicFlags, ManagedFlags, RuleSealing, CreateFlagHandler, ChangeFlagHandler, ListFlagsHandler],
})
export class FlagsModule {}
