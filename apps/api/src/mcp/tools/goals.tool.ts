import { IntersectionType, OmitType } from '@nestjs/swagger';
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
import { Id } from '../../http/fields';
import { ChangeInput, changeTool, Confirm, creationTool, deletionTool, IdempotencyKey } from '../changes';
import { listTool } from '../tool';

const nameOf = ({ name }: { readonly name: string }): string => name;

const GOALS = {
  noun: 'goal',
  action: 'goals:write',
  resource: Goals,
  record: GoalDto,
  defaults: plainGoal,
} as const;

const FUNNELS = {
  noun: 'funnel',
  action: 'goals:write',
  resource: Funnels,
  record: FunnelDto,
  defaults: plainFunnel,
} as const;

const SEGMENTS = {
  noun: 'segment',
  action: 'goals:write',
  resource: Segments,
  record: SegmentDto,
  defaults: plainSegment,
} as const;

export const listGoals = listTool({
  of: 'goals',
  title: 'List goals',
  description: 'The goals of websites, oldest first: what an event must be to count as a conversion.',
  action: 'goals:read',
  resource: Goals,
  record: GoalDto,
  nameOf,
});

export const listFunnels = listTool({
  of: 'funnels',
  title: 'List funnels',
  description: 'The funnels of websites, oldest first, with the conditions of their steps.',
  action: 'goals:read',
  resource: Funnels,
  record: FunnelDto,
  nameOf,
});

export const listSegments = listTool({
  of: 'segments',
  title: 'List segments',
  description:
    'The segments that queries can be filtered by, oldest first. A segment without websiteId is one of all websites.',
  action: 'goals:read',
  resource: Segments,
  record: SegmentDto,
  nameOf,
});

class CreateGoalInput extends OmitType(CreateGoalDto, ['organizationId']) {
  @Confirm()
  confirm?: boolean;

  @IdempotencyKey('goal')
  idempotencyKey?: string;
}

export const createGoal = creationTool(GOALS, {
  title: 'Create a goal',
  description:
    'Creates a goal of a website. Its conversions are counted among all events there are, also earlier ones.',
  input: CreateGoalInput,
});

class GoalInput extends ChangeInput {
  @Id('As list_goals gives it')
  goalId: string;
}

class UpdateGoalInput extends IntersectionType(UpdateGoalDto, GoalInput) {}

export const updateGoal = changeTool(GOALS, {
  description: 'Null clears `value`. What it counts changes for all times.',
  input: UpdateGoalInput,
  clears: ['value'],
});

export const deleteGoal = deletionTool(GOALS, {
  description: 'Deletes a goal: nothing can be counted by its id any more, and its name is free. Events stay.',
  input: GoalInput,
});

class CreateFunnelInput extends OmitType(CreateFunnelDto, ['organizationId']) {
  @Confirm()
  confirm?: boolean;

  @IdempotencyKey('funnel')
  idempotencyKey?: string;
}

export const createFunnel = creationTool(FUNNELS, {
  title: 'Create a funnel',
  description: 'Creates a funnel of 2 to 32 steps of a website, which counts how many get from each to the next.',
  input: CreateFunnelInput,
});

class FunnelInput extends ChangeInput {
  @Id('As list_funnels gives it')
  funnelId: string;
}

class UpdateFunnelInput extends IntersectionType(UpdateFunnelDto, FunnelInput) {}

export const updateFunnel = changeTool(FUNNELS, {
  description: 'Null clears `window`. `steps` are all of its steps. What it counts changes for all times.',
  input: UpdateFunnelInput,
  clears: ['window'],
});

export const deleteFunnel = deletionTool(FUNNELS, {
  description: 'Deletes a funnel: nothing can be counted by its id any more, and its name is free. Events stay.',
  input: FunnelInput,
});

class CreateSegmentInput extends OmitType(CreateSegmentDto, ['organizationId']) {
  @Confirm()
  confirm?: boolean;

  @IdempotencyKey('segment')
  idempotencyKey?: string;
}

export const createSegment = creationTool(SEGMENTS, {
  title: 'Create a segment',
  description:
    'Creates a segment by which queries can be filtered: visits that `filters` select and whose visitors did what `did` ' +
    'says. Without websiteId it is one of all websites.',
  input: CreateSegmentInput,
});

class SegmentInput extends ChangeInput {
  @Id('As list_segments gives it')
  segmentId: string;
}

class UpdateSegmentInput extends IntersectionType(UpdateSegmentDto, SegmentInput) {}

export const updateSegment = changeTool(SEGMENTS, {
  description: 'What queries by it answer changes for all times.',
  input: UpdateSegmentInput,
});

export const deleteSegment = deletionTool(SEGMENTS, {
  description: 'Deletes a segment: no query can be filtered by its id any more, and its name is free.',
  input: SegmentInput,
});
