import { Controller, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResourcesModule, accessOf, resourceController } from '../../commands/resource.controller';
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

const GOALS = {
  kind: 'goals',
  resource: Goals,
  create: CreateGoalDto,
  update: UpdateGoalDto,
  record: GoalDto,
} as const;

@ApiTags('Goals')
@Controller('v1/goals')
class GoalsController extends resourceController({
  ...accessOf('goals'),
  ...GOALS,
  list: ListOfWebsiteDto,
  summaries: {
    create: 'Create a goal, which counts conversions among all events there are, also earlier ones',
    list: 'The goals of an organization that the caller may read, in the order in which they were created',
    one: 'One goal',
    update: 'Change a goal; what it counts changes for all times',
    delete: 'Delete a goal: nothing can be counted by its id, and its name is free for another',
  },
}) {}

const FUNNELS = {
  kind: 'funnels',
  resource: Funnels,
  create: CreateFunnelDto,
  update: UpdateFunnelDto,
  record: FunnelDto,
} as const;

@ApiTags('Goals')
@Controller('v1/funnels')
class FunnelsController extends resourceController({
  ...accessOf('funnels'),
  ...FUNNELS,
  list: ListOfWebsiteDto,
  summaries: {
    create: 'Create a funnel of 2 to 32 steps',
    list: 'The funnels of an organization that the caller may read, in the order in which they were created',
    one: 'One funnel',
    update: 'Change a funnel; what it counts changes for all times',
    delete: 'Delete a funnel: nothing can be counted by its id, and its name is free for another',
  },
}) {}

const SEGMENTS = {
  kind: 'segments',
  resource: Segments,
  create: CreateSegmentDto,
  update: UpdateSegmentDto,
  record: SegmentDto,
} as const;

@ApiTags('Goals')
@Controller('v1/segments')
class SegmentsController extends resourceController({
  ...accessOf('segments'),
  ...SEGMENTS,
  list: ListOfWebsiteDto,
  summaries: {
    create: 'Create a segment: filters, and what visitors did or did not, under a name',
    list: 'The segments of an organization that the caller may read, in the order in which they were created',
    one: 'One segment',
    update: 'Change a segment',
    delete: 'Delete a segment: nothing can be filtered by its id, and its name is free for another',
  },
}) {}

/** Goals as tools for agents, with the texts that models read. */
export const GOAL_TOOLS = {
  ...GOALS,
  tools: {
    list: 'The goals of websites, oldest first: what an event must be to count as a conversion.',
    create: 'Creates a goal of a website. Its conversions are counted among all events there are, also earlier ones.',
    update: 'Null clears `value`. What it counts changes for all times.',
    clears: ['value'],
    delete: 'Deletes a goal: nothing can be counted by its id any more, and its name is free. Events stay.',
  },
} as const;

export const FUNNEL_TOOLS = {
  ...FUNNELS,
  tools: {
    list: 'The funnels of websites, oldest first, with the conditions of their steps.',
    create: 'Creates a funnel of 2 to 32 steps of a website, which counts how many get from each to the next.',
    update: 'Null clears `window`. `steps` are all of its steps. What it counts changes for all times.',
    clears: ['window'],
    delete: 'Deletes a funnel: nothing can be counted by its id any more, and its name is free. Events stay.',
  },
} as const;

export const SEGMENT_TOOLS = {
  ...SEGMENTS,
  tools: {
    list: 'The segments that queries can be filtered by, oldest first. A segment without websiteId is one of all websites.',
    create:
      'Creates a segment by which queries can be filtered: visits that `filters` select and whose visitors did what `did` ' +
      'says. Without websiteId it is one of all websites.',
    update: 'What queries by it answer changes for all times.',
    delete: 'Deletes a segment: no query can be filtered by its id any more, and its name is free.',
  },
} as const;

/** Provides what people define of a website: goals, funnels and segments. */
@Module({
  imports: [ResourcesModule],
  controllers: [GoalsController, FunnelsController, SegmentsController],
  providers: [Goals, Funnels, Segments],
})
export class GoalsModule {}
