import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module';
import { Erasures } from './erasures';
import { ErasuresController } from './erasures.controller';
import { RequestErasureHandler } from './request-erasure.command';

@Module({
  imports: [CommandsModule],
  controllers: [ErasuresController],
  providers: [Erasures, RequestErasureHandler],
})
export class ErasuresModule {}
