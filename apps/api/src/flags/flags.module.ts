import { Module } from '@nestjs/common';
import { ResourcesModule } from '../resources/resources.module';
import { Flags } from './flags';
import { FlagsController } from './flags.controller';
import { OfrepController, PublicFlagsController } from './public/public-flags.controller';
import { PublicFlags } from './public/public-flags';
import { RuleSealing } from './sealed-rules';

/** Feature flags. */
@Module({
  imports: [ResourcesModule],
  controllers: [FlagsController, PublicFlagsController, OfrepController],
  providers: [Flags, PublicFlags, RuleSealing],
})
export class FlagsModule {}
