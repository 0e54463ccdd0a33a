import { Funnels, Goals, Segments } from '../../goals/definitions';
import {
  CreateFunnelDto,
  CreateGoalDto,
  CreateSegmentDto,
  FunnelDto,
  GoalDto,
  plainFunnel,
  plainGoal,
  plainSegment,
  SegmentDto,
  UpdateFunnelDto,
  UpdateGoalDto,
  UpdateSegmentDto,
} from '../../goals/goal.dto';
import { recordTools } from '../record-tools';

export const goalTools = recordTools({
  kind: 'goals',
  resource: Goals,
  record: GoalDto,
  defaults: plainGoal,
  list: { description: 'The goals of websites, oldest first: what an event must be to count as a conversion.' },
  create: {
    input: CreateGoalDto,
    description:
      'Creates a goal of a website. Its conversions are counted among all events there are, also earlier ones.',
  },
  update: {
    input: UpdateGoalDto,
    description: 'Null clears `value`. What it counts changes for all times.',
    clears: ['value'],
  },
  delete: {
    description: 'Deletes a goal: nothing can be counted by its id any more, and its name is free. Events stay.',
  },
});

export const funnelTools = recordTools({
  kind: 'funnels',
  resource: Funnels,
  record: FunnelDto,
  defaults: plainFunnel,
  list: { description: 'The funnels of websites, oldest first, with the conditions of their steps.' },
  create: {
    input: CreateFunnelDto,
    description: 'Creates a funnel of 2 to 32 steps of a website, which counts how many get from each to the next.',
  },
  update: {
    input: UpdateFunnelDto,
    description: 'Null clears `window`. `steps` are all of its steps. What it counts changes for all times.',
    clears: ['window'],
  },
  delete: {
    description: 'Deletes a funnel: nothing can be counted by its id any more, and its name is free. Events stay.',
  },
});

export const segmentTools = recordTools({
  kind: 'segments',
  resource: Segments,
  record: SegmentDto,
  defaults: plainSegment,
  list: {
    description:
      'The segments that queries can be filtered by, oldest first. A segment without websiteId is one of all websites.',
  },
  create: {
    input: CreateSegmentDto,
    description:
      'Creates a segment by which queries can be filtered: visits that `filters` select and whose visitors did what `did` ' +
      'says. Without websiteId it is one of all websites.',
  },
  update: { input: UpdateSegmentDto, description: 'What queries by it answer changes for all times.' },
  delete: { description: 'Deletes a segment: no query can be filtered by its id any more, and its name is free.' },
});
