import { Controller, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourcesModule, accessOf, resourceController } from '../resources/resource.controller';
import { Funnels, Goals, Segments } from './definitions';
import {
  CreateFunnelDto,
  CreateGoalDto,
  CreateSegmentDto,
  FunnelDto,
  GoalDto,
  ListOfWebsiteDto,
  SegmentDto,
  UpdateFunnelDto,
  UpdateGoalDto,
  UpdateSegmentDto,
} from './goal.dto';

@ApiTags('Goals')
@Controller('v1/goals')
class GoalsController extends resourceController({
  ...accessOf('goals'),
  list: ListOfWebsiteDto,
  resource: Goals,
  create: CreateGoalDto,
  update: UpdateGoalDto,
  record: GoalDto,
  summaries: {
    create: 'Create a goal, which counts conversions among all events there are, also earlier ones',
    list: 'The goals of an organization that the caller may read, in the order in which they were created',
    one: 'One goal',
    update: 'Change a goal; what it counts changes for all times',
    delete: 'Delete a goal: nothing can be counted by its id, and its name is free for another',
  },
}) {}

@ApiTags('Goals')
@Controller('v1/funnels')
class FunnelsController extends resourceController({
  ...accessOf('funnels'),
  list: ListOfWebsiteDto,
  resource: Funnels,
  create: CreateFunnelDto,
  update: UpdateFunnelDto,
  record: FunnelDto,
  summaries: {
    create: 'Create a funnel of 2 to 32 steps',
    list: 'The funnels of an organization that the caller may read, in the order in which they were created',
    one: 'One funnel',
    update: 'Change a funnel; what it counts changes for all times',
    delete: 'Delete a funnel: nothing can be counted by its id, and its name is free for another',
  },
}) {}

@ApiTags('Goals')
@Controller('v1/segments')
class SegmentsController extends resourceController({
  ...accessOf('segments'),
  list: ListOfWebsiteDto,
  resource: Segments,
  create: CreateSegmentDto,
  update: UpdateSegmentDto,
  record: SegmentDto,
  summaries: {
    create: 'Create a segment: filters, and what visitors did or did not, under a name',
    list: 'The segments of an organization that the caller may read, in the order in which they were created',
    one: 'One segment',
    update: 'Change a segment',
    delete: 'Delete a segment: nothing can be filtered by its id, and its name is free for another',
  },
}) {}

/** What people define of a website: goals, funnels and segments. */
@Module({
  imports: [ResourcesModule],
  controllers: [GoalsController, FunnelsController, SegmentsController],
  providers: [Goals, Funnels, Segments],
})
export class GoalsModule {}
