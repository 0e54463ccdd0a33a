import { Module } from '@nestjs/common';
import { ResourcesModule } from '../resources/resources.module';
import { Funnels, Goals, Segments } from './definitions';
import { FunnelsController, GoalsController, SegmentsController } from './goals.controller';

/** What people define of a website: goals, funnels and segments. */
@Module({
  imports: [ResourcesModule],
  controllers: [GoalsController, FunnelsController, SegmentsController],
  providers: [Goals, Funnels, Segments],
})
export class GoalsModule {}
